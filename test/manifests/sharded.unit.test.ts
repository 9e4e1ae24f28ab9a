import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { StatefulSet } from "kubernetes-types/apps/v1.d.ts";
import type { NetworkPolicy } from "kubernetes-types/networking/v1.d.ts";
import type { ConfigMap, Service } from "kubernetes-types/core/v1.d.ts";
import { exporterManifests } from "../../k8s/make-exporter.ts";
import { CONFIG_SET, membersOf, shardManifests } from "../../k8s/make-shard.ts";
import { IN_KUBERNETES, makeSecrets, WITH_SHARDS } from "../../k8s/make-secrets.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { schemaProblems } from "./kubernetes-schema.ts";
import { renderKustomization } from "./kustomization.ts";
import { K8S, matches, ofKind, rendered, workloads } from "./overlays.ts";

const COMPONENT = join(K8S, "components/sharded-mongodb");

interface PodMonitor {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints: readonly { readonly relabelings: readonly object[] }[];
  };
}

const SHARD = "mongodb-shard-1";
const manifests = renderKustomization(join(K8S, "overlays/production-sharded"));
const all = workloads(manifests);
const sets = ofKind<StatefulSet>(manifests, "StatefulSet").filter(({ metadata: { name } }) => name !== "nats");

function commandOf(set: StatefulSet): readonly string[] {
  return set.spec?.template.spec?.containers.find(({ name }) => name === "mongod")?.command ?? [];
}

function variablesOf(workload: string, container: string): Readonly<Record<string, string | undefined>> {
  const { containers = [] } = all.find(({ name }) => name === workload) ?? {};
  const { env = [] } = containers.find(({ name }) => name === container) ?? {};
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

describe("the production overlay with shards", () => {
  test("has only fields that Kubernetes knows, and only pods that are restricted as all others", () => {
    expect(schemaProblems(manifests)).toEqual([]);
    const mongodb = all.find(({ name }) => name === "mongodb");
    for (const { name, pod, containers } of all.filter((each) => each.name.startsWith("mongo") && each !== mongodb)) {
      expect([name, pod.securityContext?.runAsNonRoot, pod.automountServiceAccountToken]).toEqual([name, true, false]);
      const contexts = containers.map(({ securityContext }) => securityContext);
      expect(contexts).toEqual(contexts.map(() => mongodb?.containers[0]?.securityContext));
    }
  });

  test("the sets are those that make-shard writes", () => {
    expect(readFileSync(join(COMPONENT, "config.yaml"), "utf8")).toBe(shardManifests(CONFIG_SET));
    expect(readFileSync(join(COMPONENT, "shard-1.yaml"), "utf8")).toBe(shardManifests(SHARD));
  });

  test("the exporters are those that make-exporter writes", () => {
    for (const [file, set] of [
      ["config.yaml", CONFIG_SET],
      ["shard-1.yaml", SHARD],
    ] as const) {
      expect(readFileSync(join(`${COMPONENT}-monitoring`, file), "utf8")).toBe(exporterManifests(set));
    }
  });

  test.each(sets.map((set) => [set.metadata.name, set] as const))(
    "the exporter of %s scrapes each member, and its metrics have the name of the replica set",
    (name, set) => {
      const exporter = name === "mongodb" ? "mongodb-exporter" : `${name}-exporter`;
      const { labels = {} } = all.find((each) => each.name === exporter) ?? {};
      expect(variablesOf(exporter, "exporter")["MONGODB_URI"]).toBe(`mongodb://${membersOf(name)}/admin`);
      expect(set.spec?.replicas).toBe(3);
      const monitors = ofKind<PodMonitor>(manifests, "PodMonitor").filter(({ spec }) =>
        matches(spec.selector.matchLabels, labels),
      );
      const relabelings = monitors.flatMap(({ spec }) => spec.podMetricsEndpoints.flatMap((each) => each.relabelings));
      const [, , replicaSet] = commandOf(set);
      expect(monitors).toHaveLength(1);
      expect(relabelings).toContainEqual({ targetLabel: "part_of", replacement: "guildcal" });
      expect(relabelings).toContainEqual({ targetLabel: "replica_set", replacement: replicaSet });
    },
  );

  test("the replica set without shards becomes the first shard, and keeps its other options", () => {
    const before = ofKind<StatefulSet>(rendered("production"), "StatefulSet").find(
      ({ metadata: { name } }) => name === "mongodb",
    );
    const first = sets.find(({ metadata: { name } }) => name === "mongodb");
    expect(commandOf(first!)).toEqual([...commandOf(before!), "--shardsvr", "--port", "27017"]);
  });

  test("each set has its name and role, and the set-up job of each knows its members", () => {
    expect(sets.map(({ metadata: { name } }) => name).toSorted()).toEqual(["mongodb", CONFIG_SET, SHARD]);
    for (const [set, role] of [
      [CONFIG_SET, "config"],
      [SHARD, "shard"],
    ] as const) {
      const command = commandOf(sets.find(({ metadata: { name } }) => name === set)!);
      expect(command.slice(0, 3)).toEqual(["mongod", "--replSet", set]);
      expect(command).toContain(`--${role}svr`);
      expect(variablesOf(set, "set-up")).toMatchObject({ MEMBERS: membersOf(set), REPLICA_SET: set, ROLE: role });
    }
  });

  test("a router knows the configuration servers and every shard, and shards every collection with a shard key", () => {
    const router = all.find(({ name }) => name === "mongos")!;
    const arguments_ = router.containers.find(({ name }) => name === "mongos")?.args;
    expect(arguments_).toEqual(["--configdb", `${CONFIG_SET}/${membersOf(CONFIG_SET)}`]);
    expect(variablesOf("mongos", "set-up")["SHARDS"]?.trim().split(/\s+/)).toEqual([
      `guildcal/${IN_KUBERNETES.mongodb}`,
      `${SHARD}/${membersOf(SHARD)}`,
    ]);
    const configuration = ofKind<ConfigMap>(manifests, "ConfigMap").find(({ metadata }) => metadata.name === "mongos");
    const files = Object.keys(configuration?.data ?? {});
    const script = configuration?.data?.["add-shards.js"] ?? "";
    const read = [...script.matchAll(/"\/etc\/mongos\/([^"]+)"/g)].map(([, file]) => file);
    expect(new Set(files)).toEqual(new Set(["add-shards.js", ...read]));
  });

  test("services and backups connect to a router, as users of the cluster", () => {
    const secrets = makeSecrets(WITH_SHARDS, () => "x");
    for (const name of [...SERVICES, "backup"]) {
      const { host, searchParams } = new URL(secrets[name]?.["MONGO_URL"] ?? "");
      expect([name, host, searchParams.get("replicaSet"), searchParams.get("authSource")]).toEqual([
        name,
        WITH_SHARDS.mongodb,
        null,
        "admin",
      ]);
    }
    const services = ofKind<Service>(manifests, "Service").map(({ metadata: { name } }) => name);
    expect(services).toEqual(expect.arrayContaining(["mongos", "mongodb", CONFIG_SET, SHARD]));
  });

  test.each([
    ["calendar-events", "mongos", true],
    ["backup", "mongos", true],
    ["mongos", CONFIG_SET, true],
    ["mongos", "mongodb", true],
    [SHARD, CONFIG_SET, true],
    ["mongodb", SHARD, true],
    ["mongodb-exporter", "mongodb", true],
    [`${SHARD}-exporter`, SHARD, true],
    [`${CONFIG_SET}-exporter`, CONFIG_SET, true],
    [`${SHARD}-exporter`, CONFIG_SET, false],
    ["calendar-events", SHARD, false],
    ["backup", CONFIG_SET, false],
    ["nats", SHARD, false],
  ])("the network policies: %s reaches %s: %s", (from, to, isAllowed) => {
    const policies = ofKind<NetworkPolicy>(manifests, "NetworkPolicy");
    const labelsOf = (name: string) => all.find((each) => each.name === name)?.labels ?? {};
    const isFor = ({ spec }: NetworkPolicy, name: string) =>
      matches(spec?.podSelector?.matchLabels ?? {}, labelsOf(name)) && spec?.podSelector?.matchLabels !== undefined;
    const selects = (peers: readonly { podSelector?: { matchLabels?: Record<string, string> } }[], name: string) =>
      peers.some(
        ({ podSelector }) => podSelector !== undefined && matches(podSelector.matchLabels ?? {}, labelsOf(name)),
      );
    const leaves = policies.some(
      (policy) => isFor(policy, from) && (policy.spec?.egress ?? []).some(({ to: peers = [] }) => selects(peers, to)),
    );
    const enters = policies.some(
      (policy) =>
        isFor(policy, to) && (policy.spec?.ingress ?? []).some(({ from: peers = [] }) => selects(peers, from)),
    );
    expect(leaves && enters).toBe(isAllowed);
  });
});
