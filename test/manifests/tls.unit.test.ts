import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { IN_KUBERNETES, makeSecrets } from "../../k8s/make-secrets.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { type Manifest, renderKustomization } from "./kustomization.ts";
import { K8S, ofKind, workloads } from "./overlays.ts";

interface Certificate extends Manifest {
  readonly spec: { readonly secretName: string; readonly dnsNames?: readonly string[] };
}

const manifests = renderKustomization(join(K8S, "overlays/production-tls"));
const all = workloads(manifests);
const certificates = ofKind<Certificate>(manifests, "Certificate");
const namesOf = (name: string) => certificates.find(({ metadata }) => metadata.name === name)?.spec.dnsNames;

describe("the production overlay with TLS", () => {
  test("mounts only secrets of its certificates and of make-secrets", () => {
    const mounted = all.flatMap(({ pod }) => pod.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? []);
    const made = new Set([
      ...certificates.map(({ spec }) => spec.secretName),
      ...Object.keys(makeSecrets(IN_KUBERNETES, () => "x")),
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
    const secrets = makeSecrets({ ...IN_KUBERNETES, tls: true }, () => "x");
    for (const service of SERVICES) {
      const { NATS_URL = "", MONGO_URL = "" } = secrets[service] ?? {};
      expect(namesOf("nats")).toContain(new URL(NATS_URL).hostname);
      expect([new URL(NATS_URL).protocol, MONGO_URL.includes("&tls=true")]).toEqual(["tls:", true]);
    }
    const hosts = (text: string) => text.split(",").map((each) => each.split(":")[0]);
    expect(namesOf("mongodb")).toEqual(hosts(IN_KUBERNETES.mongodb));
    expect(namesOf("nats")).toEqual(expect.arrayContaining(hosts(IN_KUBERNETES.natsPeers.join(","))));
  });

  test("starts mongod with the options of the overlay without TLS", () => {
    const commandIn = (overlay: string) => {
      const { containers } = workloads(renderKustomization(join(K8S, "overlays", overlay))).find(
        ({ name }) => name === "mongodb",
      )!;
      const [, ...options] = containers.find(({ name }) => name === "mongod")!.command ?? [];
      return options.join(" ").replaceAll("=", " ");
    };
    expect(commandIn("production-tls").startsWith(commandIn("production"))).toBe(true);
  });

  test("has the cluster of NATS as without TLS", () => {
    const withoutTls = (path: string) =>
      readFileSync(join(K8S, path), "utf8")
        .replaceAll(/^ *tls \{[^}]*\}\n\n?/gm, "")
        .replaceAll(/^#.*\n/gm, "")
        .replace("../nats/nats.conf", "nats.conf");
    expect(withoutTls("components/tls/server.conf")).toEqual(withoutTls("components/nats/server.conf"));
  });
});
