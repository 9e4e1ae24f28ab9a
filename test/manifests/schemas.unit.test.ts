import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import type { CronJob, Job } from "kubernetes-types/batch/v1.d.ts";
import type { NetworkPolicy } from "kubernetes-types/networking/v1.d.ts";
import type { ConfigMap } from "kubernetes-types/core/v1.d.ts";
import { asManifest, IN_KUBERNETES, makeSecrets } from "../../k8s/make-secrets.ts";
import { schemaProblems } from "./kubernetes-schema.ts";
import { type Manifest, renderKustomization } from "./kustomization.ts";
import { K8S, ofKind, OVERLAYS, rendered } from "./overlays.ts";

/** A manifest of the production overlay with one field changed; `undefined` removes the field. */
function broken(kind: string, path: string, value: unknown): Manifest {
  const [manifest] = structuredClone(ofKind(rendered("production"), kind));
  if (manifest === undefined) throw new Error(`there is no ${kind}`);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let holder = manifest as unknown as Record<string, unknown>;
  for (const key of keys) holder = holder[key] as Record<string, unknown>;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return manifest;
}

describe("the manifests", () => {
  test.each(OVERLAYS)("of the overlay %s have only fields that Kubernetes knows", (overlay) => {
    const manifests = rendered(overlay);
    expect(manifests.length).toBeGreaterThan(30);
    expect(schemaProblems(manifests)).toEqual([]);
  });

  test("of the optional components do, too", () => {
    const manifests = renderKustomization(join(K8S, "components/plan-lag-autoscaling"));
    expect(manifests.map(({ kind }) => kind)).toEqual(["HorizontalPodAutoscaler"]);
    expect(schemaProblems(manifests)).toEqual([]);
  });

  test("of a restore do, with the user, network policy and volume of the backups", () => {
    const restore = parse(readFileSync(join(K8S, "components/backup/restore-job.yaml"), "utf8")) as Manifest & Job;
    expect(schemaProblems([restore])).toEqual([]);
    const backup = ofKind<CronJob>(rendered("production"), "CronJob")[0]?.spec?.jobTemplate.spec?.template;
    const { template } = restore.spec ?? {};
    expect(template?.metadata?.labels).toEqual(backup?.metadata?.labels);
    expect(template?.spec?.securityContext).toEqual(backup?.spec?.securityContext);
    expect(template?.spec?.volumes?.[1]).toEqual(backup?.spec?.volumes?.[1]);
    const isRestricted = (spec = backup?.spec) => spec?.containers.map(({ securityContext }) => securityContext);
    expect(isRestricted(template?.spec)).toEqual(isRestricted());
  });

  test("of traces configure a collector that every service may reach", () => {
    const manifests = renderKustomization(join(K8S, "components/traces"), rendered("production"));
    expect(schemaProblems(manifests)).toEqual([]);
    const settings = ofKind<ConfigMap>(manifests, "ConfigMap").find(({ metadata: { name } }) => name === "settings");
    const endpoint = new URL(settings?.data?.["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "");
    expect(settings?.data?.["LOG_LEVEL"]).toBe("info");
    const policies = ofKind<NetworkPolicy>(manifests, "NetworkPolicy");
    const reach = policies.find(({ metadata: { name } }) => name === "services-reach-the-collector");
    const [rule] = reach?.spec?.egress ?? [];
    expect(rule?.ports?.map(({ port }) => String(port))).toEqual([endpoint.port]);
    const [namespace] = (rule?.to ?? []).map(({ namespaceSelector }) => namespaceSelector?.matchLabels);
    expect(namespace).toEqual({ "kubernetes.io/metadata.name": endpoint.hostname.split(".")[1] });
  });

  test("of the secrets do, too", () => {
    const { items } = asManifest(makeSecrets(IN_KUBERNETES, () => "x"));
    expect(items.length).toBe(9);
    expect(schemaProblems(items)).toEqual([]);
  });
});

describe("the check by Kubernetes' types", () => {
  test("finds every error of several manifests, with the manifest", () => {
    const faults: readonly [kind: string, path: string, value: unknown, problem: string][] = [
      ["Deployment", "spec.template.spec.containers.0.livenessProbe.httpget", {}, "does not exist in type 'Probe'"],
      ["Service", "spec.ports.0.port", "http", "Type 'string' is not assignable to type 'number'"],
      ["StatefulSet", "spec.template", undefined, "'template' is missing in type"],
      ["ConfigMap", "kind", "ConfigMpa", "v1 ConfigMpa is unknown"],
      ["PrometheusRule", "spec.groups.0.rules.0.fore", "5m", "breaks objectStrict (fore)"],
      ["PodMonitor", "spec.selector", undefined, "spec.selector breaks required"],
    ];
    const manifests = faults.map(([kind, path, value]) => broken(kind, path, value));
    const problems = schemaProblems(manifests);
    const named = faults.map(([, , , problem], at) => {
      const { kind, metadata } = manifests[at]!;
      const own = problems.filter((each) => each.startsWith(`${kind} ${metadata.name}: `));
      expect(own).toContainEqual(expect.stringContaining(problem));
      return own;
    });
    // A rule with an unknown field matches neither form of a rule.
    expect(named.flat()).toHaveLength(problems.length);
    expect(named.map((own) => own.length)).toEqual([1, 1, 1, 1, 3, 1]);
  });
});
