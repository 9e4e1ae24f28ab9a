import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { Deployment, StatefulSet } from "kubernetes-types/apps/v1.d.ts";
import type { HorizontalPodAutoscaler } from "kubernetes-types/autoscaling/v2.d.ts";
import type { Ingress, NetworkPolicy } from "kubernetes-types/networking/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import type { ConfigMap, Container, Service, ServiceAccount } from "kubernetes-types/core/v1.d.ts";
import { IN_KUBERNETES, makeSecrets } from "../../k8s/make-secrets.ts";
import { ALL_SETTINGS } from "../../services/launch/run/service-factories.ts";
import type { Manifest } from "./kustomization.ts";
import { K8S, matches, ofKind, OVERLAYS, rendered, type Workload, workloads } from "./overlays.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";

const SECRETS = makeSecrets(IN_KUBERNETES, () => "x");
/** A setting of the embedded mongod, which no cluster has. */
const NOT_IN_A_CLUSTER = new Set(["DATA_DIR", "NATS_PORT"]);

type PermanentWorkload = Workload & { readonly manifest: Manifest & (Deployment | StatefulSet) };

const inOrder = (one: string, other: string) => one.localeCompare(other);
const bare = (selector: unknown) => (selector as { matchLabels?: Record<string, string> }).matchLabels ?? {};

describe.each(OVERLAYS)("in the overlay %s", (overlay) => {
  const manifests = rendered(overlay);
  const all = workloads(manifests);
  const services = all.filter(({ labels }) => labels["app.kubernetes.io/component"] === "service");
  /** Those whose pods do not end. */
  const permanent = all.filter((workload) => workload.manifest.kind !== "CronJob") as PermanentWorkload[];
  const settings = ofKind<ConfigMap>(manifests, "ConfigMap").find(({ metadata: { name } }) => name === "settings");
  const namesOf = (kind: string) => ofKind(manifests, kind).map(({ metadata: { name } }) => name);
  const selected = (labels: Record<string, string>) => all.filter((workload) => matches(labels, workload.labels));

  test("each service has a Deployment with its own secrets", () => {
    expect(services.map(({ name }) => name).toSorted(inOrder)).toEqual(SERVICES.toSorted(inOrder));
    for (const { name, pod, containers } of services) {
      expect(containers.map(({ args }) => args)).toEqual([[name]]);
      expect(pod.volumes?.map(({ secret }) => secret?.secretName)).toEqual([name]);
    }
  });

  test("the settings are exactly those that the services read", () => {
    const given = [...Object.keys(settings?.data ?? {}), ...services.flatMap(directSettings)];
    const wanted = Object.keys(ALL_SETTINGS).filter((name) => !NOT_IN_A_CLUSTER.has(name));
    expect([...new Set(given)].toSorted(inOrder)).toEqual(wanted.toSorted(inOrder));
  });

  test("every setting has a value that the services accept", () => {
    const table: Readonly<Record<string, { parse: (text: string) => unknown }>> = ALL_SETTINGS;
    const refused = Object.entries(settings?.data ?? {}).filter(
      ([name, text]) => text !== "" && table[name]?.parse(text) === undefined,
    );
    expect(refused).toEqual([]);
  });

  test("every secret file is a key of the secret, and every key is used", () => {
    for (const { name, containers } of services) {
      const files = containers.flatMap(({ env = [] }) => env.filter((each) => each.name.endsWith("_FILE")));
      expect(files.map(({ value }) => value)).toEqual(files.map((each) => fileOf(each.name)));
      const keys = files.map((each) => each.name.replace(/_FILE$/, ""));
      expect(keys.toSorted(inOrder)).toEqual(Object.keys(SECRETS[name] ?? {}).toSorted(inOrder));
    }
  });

  test("every mounted volume exists, and every volume is mounted", () => {
    for (const workload of all) {
      const mounted = workload.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
      expect([...new Set(mounted)].toSorted(inOrder)).toEqual(volumesOf(workload).toSorted(inOrder));
    }
  });

  test("every referenced Secret, ConfigMap and ServiceAccount exists", () => {
    // The overlay for developers makes no backups.
    const used = Object.keys(SECRETS).filter((name) => overlay === "production" || name !== "backup");
    const volumes = all.flatMap(({ pod }) => pod.volumes ?? []);
    const secrets = volumes.flatMap(({ secret }) => secret?.secretName ?? []);
    const configMaps = volumes.flatMap(({ configMap }) => configMap?.name ?? []);
    expect(secrets.toSorted(inOrder)).toEqual(used.toSorted(inOrder));
    expect(configMaps.toSorted(inOrder)).toEqual(["mongodb", "nats"]);
    expect(namesOf("ConfigMap")).toEqual(expect.arrayContaining(configMaps));
    expect(namesOf("ServiceAccount").toSorted(inOrder)).toEqual(
      all.map(({ pod }) => pod.serviceAccountName ?? "").toSorted(inOrder),
    );
  });

  test("every value from a secret is a key of the secret", () => {
    const references = all.flatMap(({ containers }) =>
      containers.flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])),
    );
    expect(references.length).toBe(overlay === "production" ? 1 : 0);
    for (const { name = "", key } of references) expect(Object.keys(SECRETS[name] ?? {})).toContain(key);
  });

  test("every probe has a port of its container", () => {
    const probed = all.flatMap(({ containers }) => containers.flatMap(probedPorts));
    expect(probed.length).toBeGreaterThan(20);
    expect(probed.filter(({ isThere }) => !isThere)).toEqual([]);
  });

  test("every Service and NetworkPolicy has only ports of its pods", () => {
    const ports = [
      ...ofKind<Service>(manifests, "Service").flatMap(servedPorts),
      ...ofKind<NetworkPolicy>(manifests, "NetworkPolicy").flatMap(allowedPorts),
    ];
    expect(ports.length).toBeGreaterThan(10);
    const nowhere = ports.filter(({ selector, port }) => {
      const pods = selected(selector);
      return pods.length === 0 || !pods.every((pod) => hasPort(pod, port));
    });
    expect(nowhere).toEqual([]);
  });

  test("every selector matches something, and only its own pods", () => {
    for (const { manifest, labels } of permanent) {
      expect(matches(bare(manifest.spec?.selector), labels)).toBe(true);
      expect(selected(bare(manifest.spec?.selector))).toHaveLength(1);
    }
    for (const { spec, metadata } of ofKind<PodDisruptionBudget>(manifests, "PodDisruptionBudget")) {
      expect(selected(bare(spec?.selector)).map(({ name }) => name)).toEqual([metadata.name]);
    }
    // An exporter has one replica, and may be down for a minute.
    const kept = permanent.filter(({ labels }) => labels["app.kubernetes.io/component"] !== "exporter");
    expect(namesOf("PodDisruptionBudget").toSorted(inOrder)).toEqual(kept.map(({ name }) => name).toSorted(inOrder));
  });

  test("the ingress and the autoscalers exist", () => {
    for (const { spec } of ofKind<Ingress>(manifests, "Ingress")) {
      const backends = spec?.rules?.flatMap(({ http }) => http?.paths.map(({ backend }) => backend.service) ?? []);
      for (const backend of backends ?? []) {
        const service = ofKind<Service>(manifests, "Service").find(({ metadata }) => metadata.name === backend?.name);
        expect(service?.spec?.ports?.map(({ name }) => name)).toContain(backend?.port?.name);
      }
    }
    for (const { spec } of ofKind<HorizontalPodAutoscaler>(manifests, "HorizontalPodAutoscaler")) {
      const grown = all.find(({ name }) => name === spec?.scaleTargetRef.name);
      expect(grown?.manifest.kind).toBe("Deployment");
      // Otherwise applying the manifests again would undo the autoscaler's changes.
      expect(grown?.manifest.spec).not.toHaveProperty("replicas");
    }
  });

  test("the addresses in the secrets are those of the Services and of the replica set's members", () => {
    const headless = ofKind<Service>(manifests, "Service").map(({ metadata: { name } }) => name);
    const addresses = [IN_KUBERNETES.mongodb.split(","), IN_KUBERNETES.nats, IN_KUBERNETES.natsPeers].flat();
    for (const address of addresses) {
      const [host = "", port] = address.split(":");
      const service = host.split(".").at(-1) ?? "";
      expect(headless).toContain(service);
      const ports = ofKind<Service>(manifests, "Service").find(({ metadata }) => metadata.name === service)?.spec
        ?.ports;
      expect(ports?.map((each) => each.port)).toContain(Number(port));
    }
  });

  test("every pod is restricted: no root, no privileges, no token, a read-only file system, limits", () => {
    for (const { pod, containers } of all) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      for (const { securityContext, resources } of containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        const bounds = { cpu: expect.anything(), memory: expect.anything() };
        expect(resources).toMatchObject({ requests: bounds, limits: bounds });
      }
    }
    for (const account of ofKind<ServiceAccount>(manifests, "ServiceAccount")) {
      expect(account.automountServiceAccountToken).toBe(false);
    }
  });

  test("a frozen service is killed within 25 seconds, and a stopping one has enough time", () => {
    for (const { pod, containers } of services) {
      const [probe] = containers.map(({ livenessProbe }) => livenessProbe);
      const { periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 } = probe ?? {};
      const grace = probe?.terminationGracePeriodSeconds ?? 30;
      expect(periodSeconds * failureThreshold + timeoutSeconds + grace).toBeLessThanOrEqual(25);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(5 + 8 + 10);
    }
  });

  test("an update removes no replica before its replacement is ready", () => {
    for (const { manifest } of services) {
      expect(manifest.spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
    }
  });

  test("no traffic is allowed without a policy", () => {
    const policies = ofKind<NetworkPolicy>(manifests, "NetworkPolicy");
    const general = policies.filter(({ spec }) => Object.keys(bare(spec?.podSelector)).length === 0);
    expect(general.map(({ metadata: { name } }) => name).toSorted(inOrder)).toEqual([
      "names-are-looked-up",
      "nothing-by-default",
    ]);
    const closing = policies.find(({ metadata: { name } }) => name === "nothing-by-default");
    expect(closing?.spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  });
});

test("secrets are created for each service and each server", () => {
  const made = Object.keys(makeSecrets(IN_KUBERNETES, () => "x"));
  expect(made.toSorted(inOrder)).toEqual([...SERVICES, "backup", "mongodb", "nats"].toSorted(inOrder));
});

test("the secrets of a server are the files that its configuration and its set-up job read", () => {
  const read = (path: string) => readFileSync(join(K8S, "components", path), "utf8");
  const nats = [
    ...(read("nats/nats.conf") + read("nats/server.conf") + read("nats/users.conf")).matchAll(/secrets\/nats\/(\S+)/g),
  ];
  expect(nats.map(([, file = ""]) => file).toSorted(inOrder)).toEqual(
    Object.keys(SECRETS["nats"] ?? {}).toSorted(inOrder),
  );
  const mongodb = [
    ...(read("mongodb/set-up.js") + read("mongodb/mongodb.yaml")).matchAll(/secrets\/mongodb\/(\w[\w.-]*)/g),
  ];
  expect(new Set(mongodb.map(([, file]) => file))).toEqual(new Set(Object.keys(SECRETS["mongodb"] ?? {})));
});

/** The settings of a Deployment, as a value or as the file of a secret. */
function directSettings({ containers }: Workload): string[] {
  return containers.flatMap(({ env = [] }) => env.map(({ name }) => name.replace(/_FILE$/, "")));
}

function fileOf(variable: string): string {
  return `/run/secrets/guildcal/${variable.replace(/_FILE$/, "")}`;
}

function volumesOf({ pod, manifest }: Workload): string[] {
  const { volumeClaimTemplates = [] } = manifest.spec as { volumeClaimTemplates?: { metadata: { name: string } }[] };
  return [...(pod.volumes ?? []), ...volumeClaimTemplates.map(({ metadata }) => metadata)].map(({ name }) => name);
}

function probedPorts({ name, ports = [], startupProbe, readinessProbe, livenessProbe }: Container) {
  return [startupProbe, readinessProbe, livenessProbe]
    .filter((probe) => probe !== undefined)
    .map((probe) => probe.httpGet?.port ?? probe.tcpSocket?.port)
    .map((port) => ({ name, port, isThere: ports.some((each) => each.name === port) }));
}

interface PortOfPods {
  readonly of: string;
  readonly selector: Readonly<Record<string, string>>;
  readonly port: unknown;
}

function servedPorts({ metadata: { name }, spec }: Manifest & Service): PortOfPods[] {
  return (spec?.ports ?? []).map(({ targetPort }) => ({ of: name, selector: spec?.selector ?? {}, port: targetPort }));
}

/** The ports of a policy: of its own pods for ingress, and of the pods that it selects for egress. */
function allowedPorts({ metadata: { name }, spec }: Manifest & NetworkPolicy): PortOfPods[] {
  const incoming = (spec?.ingress ?? []).flatMap(({ ports = [] }) =>
    ports.map(({ port }) => ({ of: name, selector: bare(spec?.podSelector), port })),
  );
  const outgoing = (spec?.egress ?? []).flatMap(({ to = [], ports = [] }) =>
    to
      .filter(({ podSelector, namespaceSelector }) => podSelector !== undefined && namespaceSelector === undefined)
      .flatMap(({ podSelector }) => ports.map(({ port }) => ({ of: name, selector: bare(podSelector), port }))),
  );
  return [...incoming, ...outgoing];
}

function hasPort({ containers }: Workload, port: unknown): boolean {
  const ports = containers.flatMap((container) => container.ports ?? []);
  return ports.some(({ name, containerPort }) => name === port || containerPort === port);
}
