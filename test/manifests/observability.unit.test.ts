import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { metricsRegistry, collectProcessMetrics } from "../../mixins/observability/metrics.ts";
import "../../mixins/observability/reachability-metrics.ts";
import "../../mixins/observability/time-zone-metrics.ts";
import { POST_STATES, REASON_CODES } from "../../services/contracts/dispatch.contract.ts";
import { ERRORS } from "../../services/contracts/errors.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { exportWebhookMetrics } from "../../services/webhooks/webhooks.metrics.ts";
import { exportFollowMetrics } from "../../services/calendar-events/follow/follow.metrics.ts";
import { exportDispatchMetrics } from "../../services/dispatch/dispatch.metrics.ts";
import { ALERTS, isAlert, RULE_FILES, type RuleFile, RULES } from "./alert-rules.ts";
import { EXPORTERS } from "./exporters.ts";
import { renderKustomization } from "./kustomization.ts";
import { EVERY_OVERLAY, K8S, ofKind, rendered, workloads } from "./overlays.ts";
import { DASHBOARD_QUERIES, PANELS } from "./dashboard.ts";
import { selectorsOf } from "./promql.ts";

interface Scaled {
  readonly spec: { readonly metrics: readonly { readonly pods: { readonly metric: { readonly name: string } } }[] };
}

const queries = [
  ...RULES.map((rule) => [isAlert(rule) ? rule.alert : rule.record, rule.expr] as const),
  ...DASHBOARD_QUERIES,
];
/** Labels that the operator and the PodMonitors add. */
const OF_TARGETS = ["namespace", "pod", "part_of", "component", "app", "replica_set"];

describe("alert rules and dashboard", () => {
  /** The labels of each metric. */
  const known = new Map<string, readonly string[]>();

  beforeAll(async () => {
    collectProcessMetrics();
    exportDispatchMetrics();
    exportFollowMetrics();
    exportWebhookMetrics();
    for (const { name, type } of await metricsRegistry.getMetricsAsJSON()) {
      const labels = (metricsRegistry.getSingleMetric(name) as unknown as { labelNames: string[] }).labelNames;
      const isHistogram = String(type) === "histogram";
      for (const suffix of isHistogram ? ["_count", "_sum"] : [""]) known.set(name + suffix, labels);
      if (isHistogram) known.set(`${name}_bucket`, [...labels, "le"]);
    }
    known.set("guildcal_bus_up", []);
    for (const { metrics } of Object.values(EXPORTERS)) {
      for (const [name, labels] of Object.entries(metrics)) known.set(name, labels);
    }
    for (const rule of RULES) if (!isAlert(rule)) known.set(rule.record, ["namespace"]);
  });

  test("the metric of autoscaling exists: dispatch's plan lag", () => {
    const scaled = renderKustomization(join(K8S, "components/plan-lag-autoscaling")) as unknown as Scaled[];
    const metrics = scaled.flatMap(({ spec }) => spec.metrics.map(({ pods }) => pods.metric.name));
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((metric) => !known.has(metric))).toEqual([]);
  });

  test("are not empty", () => {
    expect(ALERTS.length).toBeGreaterThan(25);
    expect(PANELS.length).toBeGreaterThan(40);
  });

  test.each(EVERY_OVERLAY.filter((overlay) => overlay !== "dev"))(
    "the overlay %s installs the rules of every file of the alerts folder, and no others",
    (overlay) => {
      const installed = ofKind<{ spec: RuleFile }>(rendered(overlay), "PrometheusRule").map(({ spec }) => spec);
      expect(byGroup(installed)).toEqual(byGroup([...RULE_FILES.values()]));
    },
  );

  test.each(queries)("%s uses only metrics that are exported, with labels that they have", (_title, expr) => {
    const selectors = selectorsOf(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, labels } of selectors) {
      expect([...known.keys()]).toContain(metric);
      expect([...OF_TARGETS, ...(known.get(metric) ?? [])]).toEqual(expect.arrayContaining([...labels]));
    }
  });

  test.each(queries)("%s uses only outcomes and services that exist", (_title, expr) => {
    const matchNothing = (label: string, all: readonly string[]) =>
      [...expr.matchAll(new RegExp(`\\b${label}=~?("[^"]+")`, "g"))]
        .map(([, text = '""']) => JSON.parse(text) as string)
        .filter((pattern) => !all.some((value) => new RegExp(`^(?:${pattern})$`).test(value)));
    expect(matchNothing("code", ["OK", ...Object.keys(ERRORS)])).toEqual([]);
    expect(matchNothing("state", POST_STATES)).toEqual([]);
    expect(matchNothing("reason", REASON_CODES)).toEqual([]);
    expect(matchNothing("app", SERVICES)).toEqual([]);
    expect(
      matchNothing(
        "action",
        SERVICES.map((service) => `${service}.any`),
      ),
    ).toEqual([]);
  });

  test("contain no namespace, since an installation may be in any", () => {
    const named = queries.filter(([, expr]) => /\bnamespace\s*(?:=|!=|=~|!~)\s*"(?!\$namespace")/.test(expr));
    expect(named).toEqual([]);
    const files = ["components/monitoring/dashboard.json", "make-secrets.ts", "rotate-secret.ts"];
    const texts = files.map((file) => readFileSync(join(K8S, file), "utf8"));
    expect(texts.filter((text) => /namespace[^\n]{0,4}"guildcal"/.test(text))).toEqual([]);
  });

  test("the dashboard has the rate, errors and duration of each service, after the promises", () => {
    const titles = PANELS.map(({ title }) => title);
    const rows = PANELS.filter(({ type }) => type === "row").map(({ title }) => title);
    const [first, second, ...others] = rows;
    expect([first, second]).toEqual(["The promise", "Gateway"]);
    expect(others.slice(-2)).toEqual(["MongoDB", "NATS"]);
    for (const service of SERVICES.filter((name) => name !== "api")) {
      const ofService = titles.filter((title) => title.startsWith(`${service}: `));
      expect(ofService.map((title) => title.slice(service.length + 2))).toEqual([
        "actions",
        "errors",
        "duration, 99th percentile",
      ]);
    }
  });
});

function byGroup(files: readonly RuleFile[]): RuleFile[] {
  const nameOf = ({ groups }: RuleFile) => groups[0]?.name ?? "";
  return files.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
}

describe("the exporters of the table", () => {
  test("are those of the manifests, in the same version", () => {
    const images = workloads(rendered("production")).flatMap(({ labels, containers }) =>
      labels["app.kubernetes.io/component"] === "exporter" ? containers.map(({ image }) => image) : [],
    );
    const named = Object.values(EXPORTERS).flatMap(({ image }) => image ?? []);
    expect(new Set(images)).toEqual(new Set(named));
  });

  test("are scraped with the labels that the rules use", () => {
    const monitors = ofKind<{ spec: { podMetricsEndpoints: { relabelings: object[] }[] } }>(
      rendered("production"),
      "PodMonitor",
    );
    expect(monitors).toHaveLength(3);
    for (const { spec } of monitors) {
      const [endpoint] = spec.podMetricsEndpoints;
      const component = { targetLabel: "component", replacement: expect.stringMatching(/^(?:service|exporter)$/) };
      expect(endpoint?.relabelings).toEqual(
        expect.arrayContaining([{ targetLabel: "part_of", replacement: "guildcal" }, component]),
      );
    }
  });
});

describe("the parser of queries", () => {
  test.each([
    ['sum by (app) (up{app="a"}) == 0', [["up", "app"]]],
    ["rate(made_total[5m]) / on (pod) group_left (app) other offset 10m", [["made_total"], ["other"]]],
    ['label_replace(one > 1, "to", "$1", "from", "(.*)") unless two{a=~"b|c", d!="}"}', [["one"], ["two", "a", "d"]]],
    ["14.4 * 0.001 < namespace:ratio:rate5m", [["namespace:ratio:rate5m"]]],
  ])("finds in %s each metric with its labels", (query, found) => {
    expect(selectorsOf(query).map(({ metric, labels }) => [metric, labels].flat())).toEqual(found);
  });
});
