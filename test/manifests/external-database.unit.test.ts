import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { NetworkPolicy } from "kubernetes-types/networking/v1.d.ts";
import { IN_KUBERNETES, makeSecrets } from "../../k8s/make-secrets.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { schemaProblems } from "./kubernetes-schema.ts";
import { type Manifest, renderKustomization } from "./kustomization.ts";
import { K8S, ofKind, workloads } from "./overlays.ts";

/** The components of the production overlay, with a database outside the cluster that has its own authority. */
const COMPONENTS = ["nats", "external-mongodb", "backup", "monitoring", "external-authority"];
const AUTHORITY = "external-authority";

const manifests = COMPONENTS.reduce<Manifest[]>(
  (below, component) => renderKustomization(join(K8S, "components", component), below),
  renderKustomization(join(K8S, "base")),
);
const all = workloads(manifests);
const clients = all.filter(({ name }) => [...SERVICES, "backup"].includes(name));

describe("an installation with a database outside the cluster and its own authority", () => {
  test("has only fields that Kubernetes knows, and no MongoDB of its own", () => {
    expect(schemaProblems(manifests)).toEqual([]);
    expect(ofKind(manifests, "StatefulSet").map(({ metadata: { name } }) => name)).toEqual(["nats"]);
  });

  test("mounts only volumes that exist, of secrets that make-secrets or the documented command creates", () => {
    const made = new Set([...Object.keys(makeSecrets(IN_KUBERNETES, () => "x")), AUTHORITY]);
    for (const { pod, containers } of all) {
      const volumes = new Set((pod.volumes ?? []).map(({ name }) => name));
      const mounts = containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
      expect(mounts.filter(({ name }) => !volumes.has(name))).toEqual([]);
      const secrets = (pod.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? []);
      expect(secrets.filter((name) => !made.has(name))).toEqual([]);
    }
    const readme = readFileSync(join(K8S, "components/tls/README.md"), "utf8");
    expect(readme).toContain(`create secret generic ${AUTHORITY} --from-file=ca.crt\n`);
  });

  test.each(clients)("$name trusts the authority in the secret's file", ({ pod, containers }) => {
    const volume = pod.volumes?.find(({ secret }) => secret?.secretName === AUTHORITY);
    for (const { env = [], volumeMounts = [] } of containers) {
      const mount = volumeMounts.find(({ name }) => name === volume?.name);
      expect(mount?.readOnly).toBe(true);
      expect(env).toContainEqual({ name: "NODE_EXTRA_CA_CERTS", value: `${mount?.mountPath}/ca.crt` });
    }
  });

  test("every service and the backup reach the database, and NATS gets no authority", () => {
    expect(clients).toHaveLength(SERVICES.length + 1);
    const policies = ofKind<NetworkPolicy>(manifests, "NetworkPolicy");
    const open = policies.filter(({ spec }) => JSON.stringify(spec?.egress ?? []).includes(`"port":27017`));
    const selected = open.map(({ spec }) => spec?.podSelector?.matchLabels);
    expect(selected).toEqual([{ "app.kubernetes.io/component": "service" }, { "app.kubernetes.io/name": "backup" }]);
    const trusting = all.filter(({ pod }) => JSON.stringify(pod.volumes ?? []).includes(AUTHORITY));
    expect(trusting.map(({ name }) => name).toSorted()).toEqual(clients.map(({ name }) => name).toSorted());
  });
});
