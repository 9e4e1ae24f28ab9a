import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import type { IConfigMap } from "kubernetes-models/v1";
import { asManifest, IN_KUBERNETES, makeSecrets } from "../../k8s/make-secrets.ts";
import { schemaProblems } from "./kubernetes-schema.ts";
import { type Manifest, renderKustomization } from "./kustomization.ts";
import { K8S, ofKind, OVERLAYS, rendered } from "./overlays.ts";

async function problemsOf(manifests: readonly Manifest[]): Promise<string[]> {
  return (await Promise.all(manifests.map(schemaProblems))).flat();
}

/** A manifest of the production overlay with one field set, or with `undefined` taken out. */
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
  test.each(OVERLAYS)("of the overlay %s are what Kubernetes knows, to the last field", async (overlay) => {
    const manifests = rendered(overlay);
    expect(manifests.length).toBeGreaterThan(30);
    expect(await problemsOf(manifests)).toEqual([]);
  });

  test("of what is optional are, too", async () => {
    const manifests = renderKustomization(join(K8S, "components/plan-lag-autoscaling"));
    expect(manifests.map(({ kind }) => kind)).toEqual(["HorizontalPodAutoscaler"]);
    expect(await problemsOf(manifests)).toEqual([]);
  });

  test("of traces give every service a collector that it may reach", async () => {
    const manifests = renderKustomization(join(K8S, "components/traces"), rendered("production"));
    expect(await problemsOf(manifests)).toEqual([]);
    const settings = ofKind<IConfigMap>(manifests, "ConfigMap").find(({ metadata: { name } }) => name === "settings");
    const endpoint = new URL(settings?.data?.["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "");
    expect(settings?.data?.["LOG_LEVEL"]).toBe("info");
    const policies = ofKind<INetworkPolicy>(manifests, "NetworkPolicy");
    const reach = policies.find(({ metadata: { name } }) => name === "services-reach-the-collector");
    const [rule] = reach?.spec?.egress ?? [];
    expect(rule?.ports?.map(({ port }) => String(port))).toEqual([endpoint.port]);
    const [namespace] = (rule?.to ?? []).map(({ namespaceSelector }) => namespaceSelector?.matchLabels);
    expect(namespace).toEqual({ "kubernetes.io/metadata.name": endpoint.hostname.split(".")[1] });
  });

  test("of the secrets are, too", async () => {
    const { items } = asManifest(makeSecrets(IN_KUBERNETES, () => "x"));
    expect(items.length).toBe(7);
    expect(await problemsOf(items)).toEqual([]);
  });
});

describe("the check by Kubernetes' schemas", () => {
  test("finds a field that nobody knows, however deep", async () => {
    const manifest = broken("Deployment", "spec.template.spec.containers.0.livenessProbe.httpget", {});
    expect(await schemaProblems(manifest)).toEqual([
      `Deployment ${manifest.metadata.name}: /spec/template/spec/containers/0/livenessProbe/httpget is unknown`,
    ]);
  });

  test.each([
    ["Service", "spec.ports.0.port", "http", "/spec/ports/0/port breaks type"],
    ["Deployment", "spec.template", undefined, "/spec breaks required"],
    ["Service", "kind", "Serviec", "v1 Serviec is unknown"],
    ["PrometheusRule", "spec.groups.0.rules.0.fore", "5m", "breaks objectStrict (fore)"],
    ["PodMonitor", "spec.selector", undefined, "spec.selector breaks required"],
  ])("finds in a %s what is wrong with %s", async (kind, path, value, problem) => {
    expect(await schemaProblems(broken(kind, path, value))).toContainEqual(expect.stringContaining(problem));
  });
});
