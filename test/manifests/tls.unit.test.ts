import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { membersOf } from "../../k8s/make-shard.ts";
import { IN_KUBERNETES, makeSecrets, WITH_SHARDS } from "../../k8s/make-secrets.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import type { Manifest } from "./kustomization.ts";
import { K8S, ofKind, rendered, workloads } from "./overlays.ts";

interface Certificate extends Manifest {
  readonly spec: { readonly secretName: string; readonly dnsNames?: readonly string[] };
}

const TLS_OPTIONS = [
  "--tlsMode=requireTLS",
  "--tlsCertificateKeyFile=/run/secrets/mongodb-tls/tls-combined.pem",
  "--tlsCAFile=/run/secrets/mongodb-tls/ca.crt",
  "--tlsAllowConnectionsWithoutCertificates",
];

const hosts = (text: string) => text.split(",").map((each) => each.split(":")[0] ?? "");

describe.each([
  ["production", IN_KUBERNETES],
  ["production-sharded", WITH_SHARDS],
])("the overlay %s with TLS", (overlay, addresses) => {
  const manifests = rendered(`${overlay}-tls`);
  const all = workloads(manifests);
  const certificates = ofKind<Certificate>(manifests, "Certificate");
  const namesOf = (name: string) => certificates.find(({ metadata }) => metadata.name === name)?.spec.dnsNames;
  /** The containers of mongod and mongos, by their workloads. */
  const servers = all.flatMap(({ name, containers }) =>
    containers.filter((each) => each.name === "mongod" || each.name === "mongos").map((server) => ({ name, server })),
  );

  test("mounts only secrets of its certificates and of make-secrets", () => {
    const mounted = all.flatMap(({ pod }) => pod.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? []);
    const made = new Set([
      ...certificates.map(({ spec }) => spec.secretName),
      ...Object.keys(makeSecrets(addresses, () => "x")),
    ]);
    expect(mounted.filter((name) => !made.has(name))).toEqual([]);
    expect(mounted).toEqual(expect.arrayContaining(["nats-tls", "mongodb-tls"]));
    // The key of the authority signs certificates: no pod has it.
    expect(mounted).not.toContain("authority-tls");
  });

  test("gives services and backups the authority alone, and no key of a server", () => {
    for (const { name, pod, containers } of all.filter((each) =>
      [...SERVICES, "backup"].includes(each.name as never),
    )) {
      const volume = pod.volumes?.find((each) => each.name === "authority");
      expect([name, volume?.secret?.items]).toEqual([name, [{ key: "ca.crt", path: "ca.crt" }]]);
      const env = containers.flatMap((container) => container.env ?? []);
      expect(env).toContainEqual({ name: "NODE_EXTRA_CA_CERTS", value: "/run/secrets/authority/ca.crt" });
    }
  });

  test("has certificates for the names in the URLs, which have TLS", () => {
    const secrets = makeSecrets({ ...addresses, tls: true }, () => "x");
    for (const service of SERVICES) {
      const { NATS_URL = "", MONGO_URL = "" } = secrets[service] ?? {};
      expect(namesOf("nats")).toContain(new URL(NATS_URL).hostname);
      expect([new URL(NATS_URL).protocol, MONGO_URL.includes("&tls=true")]).toEqual(["tls:", true]);
    }
    expect(namesOf("mongodb")).toEqual(expect.arrayContaining(hosts(addresses.mongodb)));
    expect(namesOf("nats")).toEqual(expect.arrayContaining(hosts(addresses.natsPeers.join(","))));
  });

  test("has a certificate for every member and router", () => {
    const nameOf = ({ name, server }: (typeof servers)[number]) =>
      server.name === "mongos" ? [name] : hosts(membersOf(name));
    expect(namesOf("mongodb")?.toSorted()).toEqual(servers.flatMap(nameOf).toSorted());
  });

  test("starts each mongod and mongos with the options of the overlay without TLS, and those of TLS", () => {
    const before = workloads(rendered(overlay));
    for (const { name, server } of servers) {
      const containers = before.find((each) => each.name === name)?.containers ?? [];
      const { command = [] } = containers.find((each) => each.name === server.name) ?? {};
      expect([name, server.command]).toEqual([name, [...command, ...TLS_OPTIONS]]);
      expect(server.volumeMounts?.map(({ mountPath }) => mountPath)).toContain("/run/secrets/mongodb-tls");
    }
  });

  test("the script beside each server uses TLS", () => {
    for (const { name } of servers) {
      const setUp = all.find((each) => each.name === name)?.containers.find((each) => each.name === "set-up");
      expect(setUp?.env).toContainEqual({ name: "TLS_CA_FILE", value: "/run/secrets/mongodb-tls/ca.crt" });
      expect(setUp?.volumeMounts?.map(({ mountPath }) => mountPath)).toContain("/run/secrets/mongodb-tls");
    }
  });

  test("the exporter of each replica set uses TLS", () => {
    const sets = servers.filter(({ server }) => server.name === "mongod").map(({ name }) => name);
    for (const set of sets) {
      const exporter = all.find(({ name }) => name === (set === "mongodb" ? "mongodb-exporter" : `${set}-exporter`));
      const value = `mongodb://${membersOf(set)}/admin?tls=true&tlsCAFile=/run/secrets/authority/ca.crt`;
      const env = exporter?.containers[0]?.env?.filter(({ name }) => name === "MONGODB_URI");
      expect([set, env]).toEqual([set, [{ name: "MONGODB_URI", value }]]);
    }
  });
});

test("the cluster of NATS with TLS is the one without", () => {
  const withoutTls = (path: string) =>
    readFileSync(join(K8S, path), "utf8")
      .replaceAll(/^ *tls \{[^}]*\}\n\n?/gm, "")
      .replaceAll(/^#.*\n/gm, "")
      .replace("../nats/nats.conf", "nats.conf");
  expect(withoutTls("components/tls/server.conf")).toEqual(withoutTls("components/nats/server.conf"));
});
