import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { metricsRegistry, watchProcess } from "../../mixins/observability/metrics.ts";
import {
  announcementFailed,
  announcementMissed,
  announcementPosted,
  POST_STATES,
} from "../../services/contracts/dispatch.contract.ts";
import { ERRORS } from "../../services/contracts/errors.ts";
import { exportDispatchMetrics } from "../../services/dispatch/dispatch.metrics.ts";
import { renderKustomization } from "./kustomization.ts";
import { K8S, ofKind, rendered } from "./overlays.ts";

interface Rules {
  readonly spec: {
    readonly groups: { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  };
}

interface Scaled {
  readonly spec: { readonly metrics: readonly { readonly pods: { readonly metric: { readonly name: string } } }[] };
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const [rules] = ofKind<Rules>(rendered("production"), "PrometheusRule");
const alerts = rules?.spec.groups.flatMap((group) => group.rules) ?? [];
const { panels } = JSON.parse(readFileSync(join(K8S, "components/monitoring/dashboard.json"), "utf8")) as Dashboard;
const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

describe("alert rules and dashboard", () => {
  const known = new Map<string, readonly string[]>([["up", ["app"]]]);

  beforeAll(async () => {
    watchProcess();
    exportDispatchMetrics();
    for (const { name, type } of await metricsRegistry.getMetricsAsJSON()) {
      const labels = (metricsRegistry.getSingleMetric(name) as unknown as { labelNames: string[] }).labelNames;
      const isHistogram = String(type) === "histogram";
      for (const suffix of isHistogram ? ["_bucket", "_count", "_sum"] : [""]) known.set(name + suffix, labels);
    }
  });

  test("so does what is scaled by: dispatch's plan lag", () => {
    const scaled = renderKustomization(join(K8S, "components/plan-lag-autoscaling")) as unknown as Scaled[];
    const metrics = scaled.flatMap(({ spec }) => spec.metrics.map(({ pods }) => pods.metric.name));
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((metric) => !known.has(metric))).toEqual([]);
  });

  test("are there", () => {
    expect(alerts.length).toBeGreaterThan(7);
    expect(panels.length).toBeGreaterThan(7);
  });

  test.each(queries)("%s asks for metrics that the services have, by labels that these have", (_title, expr) => {
    const selectors = [...expr.matchAll(/\b([a-z_][a-z0-9_]*)\{([^}]*)\}/g)];
    expect(selectors.length).toBeGreaterThan(0);
    for (const [, metric = "", matchers = ""] of selectors) {
      expect([...known.keys()]).toContain(metric);
      const labels = [...matchers.matchAll(/(\w+)\s*[!=]~?=?"/g)].map(([, label]) => label);
      // Prometheus itself adds the namespace, the pod and, by pod-monitor.yaml, the app.
      expect(["namespace", "pod", "app", ...(known.get(metric) ?? [])]).toEqual(expect.arrayContaining(labels));
    }
  });

  test.each(queries)("%s asks for outcomes and events that there are", (_title, expr) => {
    const values = (label: string) =>
      [...expr.matchAll(new RegExp(`\\b${label}=~?("[^"]+")`, "g"))].map(
        ([, text = '""']) => new RegExp(`^(?:${JSON.parse(text) as string})$`),
      );
    const codes = ["OK", ...Object.keys(ERRORS)];
    const events = [announcementPosted.name, announcementMissed.name, announcementFailed.name];
    const matchNothing = [
      ...values("code").filter((pattern) => !codes.some((code) => pattern.test(code))),
      ...values("state").filter((pattern) => !POST_STATES.some((state) => pattern.test(state))),
      ...values("event").filter((pattern) => !events.some((event) => pattern.test(event))),
    ];
    expect(matchNothing).toEqual([]);
  });

  test("each alert is explained to the operator", () => {
    const runbook = readFileSync(join(K8S, "README.md"), "utf8");
    expect(alerts.filter(({ alert }) => !runbook.includes(`\`${alert}\``))).toEqual([]);
  });
});
