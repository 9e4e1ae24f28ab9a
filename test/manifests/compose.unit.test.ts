import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { IN_COMPOSE, makeSecrets } from "../../k8s/make-secrets.ts";
import { ALL_SETTINGS } from "../../services/launch/run/service-factories.ts";
import { K8S, rendered, workloads } from "./overlays.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Container>>;
  readonly volumes: Readonly<Record<string, object>>;
}

const compose = parse(readFileSync(join(dirname(K8S), "docker-compose.yml"), "utf8"), { merge: true }) as Compose;
const containers = Object.entries(compose.services);
const SECRETS = makeSecrets(IN_COMPOSE, () => "x");
/** Settings of the embedded mongod, and the name of the container. */
const NOT_SET = new Set(["DATA_DIR", "NATS_PORT", "NODE_NAME"]);

const inOrder = (one: string, other: string) => one.localeCompare(other);
const given = ({ environment = {} }: Container) => Object.keys(environment).map((name) => name.replace(/_FILE$/, ""));

describe("docker-compose.yml", () => {
  test.each(SERVICES)("runs %s with only its own secrets", (name) => {
    const { image, command, volumes, environment } = compose.services[name] as Container;
    expect({ image, command, volumes }).toEqual({
      image: "guildcal",
      command: [name],
      volumes: [`secrets-${name}:/run/secrets/guildcal:ro`],
    });
    const files = Object.entries(environment ?? {}).filter(([variable]) => variable.endsWith("_FILE"));
    const keys = files.map(([, path]) => path.replace("/run/secrets/guildcal/", ""));
    expect(Object.keys(SECRETS[name] ?? {})).toEqual(expect.arrayContaining(keys));
  });

  test("has exactly the settings that the services read", () => {
    const set = new Set(SERVICES.flatMap((name) => given(compose.services[name] as Container)));
    const wanted = Object.keys(ALL_SETTINGS).filter((name) => !NOT_SET.has(name));
    expect([...set].toSorted(inOrder)).toEqual(wanted.toSorted(inOrder));
  });

  test("gives NATS every file that its configuration includes", () => {
    const included = [...readFileSync(join(K8S, "components/nats/nats.conf"), "utf8").matchAll(/^include (\S+)$/gm)];
    const mounted = compose.services["nats"]?.volumes ?? [];
    expect(included.map(([, file]) => `./k8s/components/nats/${file}:/etc/nats/${file}:ro`)).toEqual(
      mounted.filter((each) => each.includes("/users.conf")),
    );
    expect(included).toHaveLength(1);
  });

  test("runs MongoDB without server-side JavaScript, like the Kubernetes manifests", () => {
    const pods = workloads(rendered("production")).flatMap(({ containers: each }) => each);
    const commands = [
      ...containers.map(([, { entrypoint = [] }]) => entrypoint),
      ...pods.map(({ command = [] }) => command),
    ];
    const servers = commands.filter(([program]) => program === "mongod");
    expect(servers).toHaveLength(2);
    for (const words of servers) expect(words).toContain("--noscripting");
  });

  test("publishes one port", () => {
    expect(containers.flatMap(([, { ports = [] }]) => ports)).toHaveLength(1);
  });

  test("has a volume for each secret, which only its owner mounts", () => {
    const maker = compose.services["secrets"]?.volumes ?? [];
    for (const name of Object.keys(SECRETS)) {
      expect(maker).toContain(`secrets-${name}:/secrets/${name}`);
      const mounting = containers.filter(([, { volumes = [] }]) =>
        volumes.some((each) => each.startsWith(`secrets-${name}:`)),
      );
      const owners = mounting.map(([container]) => container.replace("mongodb-set-up", "mongodb"));
      expect(new Set(owners)).toEqual(new Set([name, "secrets"]));
    }
  });

  test("runs the creation of secrets in an image that has its imports", () => {
    const { entrypoint: [, path = ""] = [], volumes = [] } = compose.services["secrets"] as Container;
    expect(volumes).toContain(`./k8s/make-secrets.ts:${path}:ro`);
    const imports = [...readFileSync(join(K8S, "make-secrets.ts"), "utf8").matchAll(/ from "(\.[^"]+)"/g)];
    const paths = imports.map(([, target = ""]) => join(dirname(path), target));
    expect(paths.length).toBeGreaterThan(0);
    // The Dockerfile copies these two folders into one.
    expect(paths.filter((each) => !/^\/guildcal\/(?:services|mixins)\//.test(each))).toEqual([]);
  });

  test("declares every mounted volume", () => {
    const mounted = containers.flatMap(([, { volumes = [] }]) => volumes.map((each) => each.split(":", 1)[0] ?? ""));
    const named = new Set(mounted.filter((each) => !each.startsWith(".")));
    expect([...named].toSorted(inOrder)).toEqual(Object.keys(compose.volumes).toSorted(inOrder));
  });

  test("gives containers no unneeded privileges", () => {
    for (const [, container] of containers) {
      expect(container).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
    }
    const outside = containers.filter(([, { networks = [] }]) => networks.includes("outside")).map(([name]) => name);
    expect(outside.toSorted(inOrder)).toEqual(["api", "calendar-events", "dispatch", "webhooks"]);
  });

  test("runs the same server versions as the Kubernetes manifests", () => {
    const pods = workloads(rendered("production"));
    const images = new Set(pods.flatMap((workload) => workload.containers.map(({ image }) => image)));
    const servers = new Set(containers.map(([, { image }]) => image).filter((image) => image !== "guildcal"));
    expect([...images]).toEqual(expect.arrayContaining([...servers]));
  });
});
