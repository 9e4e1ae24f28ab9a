import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { commandsOf, localOptions } from "./mongodb-commands.ts";
import { EVERY_OVERLAY, K8S, rendered, workloads } from "./overlays.ts";

/** Time in which a pod of MongoDB ends, in seconds, as k8s/README.md says. */
const END_SECONDS = 10;
/** Time for the step-down and the flush of a member, in seconds. */
const FLUSH_SECONDS = 2;
const PARAMETERS = {
  mongod: "shutdownTimeoutMillisForSignaledShutdown",
  mongos: "mongosShutdownTimeoutMillisForSignaledShutdown",
} as const;

/** Time until a server refuses requests after SIGTERM, in seconds; NaN if the command does not set it. */
function quiesceSeconds(command: readonly string[], parameter: string): number {
  const words = command.join(" ").replaceAll("--setParameter=", "--setParameter ");
  const [, ms] = new RegExp(` --setParameter ${parameter}=(\\d+)(?: |$)`).exec(words) ?? [];
  return Number(ms) / 1000;
}

describe("after SIGTERM", () => {
  test.each(EVERY_OVERLAY)("every mongod and mongos of the overlay %s ends within ten seconds", (overlay) => {
    const servers = workloads(rendered(overlay)).flatMap(({ containers }) =>
      containers.filter(({ command: [program = ""] = [] }) => program in PARAMETERS),
    );
    expect(servers.length).toBe(overlay.startsWith("production-sharded") ? 4 : 1);
    for (const { command = [], lifecycle } of servers) {
      const parameter = PARAMETERS[command[0] as keyof typeof PARAMETERS];
      const before = lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect(before + quiesceSeconds(command, parameter)).toBeLessThanOrEqual(END_SECONDS - FLUSH_SECONDS);
    }
  });

  test("the mongod of docker-compose.yml ends as early as that of the manifests", () => {
    const text = readFileSync(join(dirname(K8S), "docker-compose.yml"), "utf8");
    const { services } = parse(text, { merge: true }) as { services: Record<string, { entrypoint?: string[] }> };
    const [command = []] = commandsOf(rendered("production"), "mongod");
    const { entrypoint = [] } = services["mongodb"] ?? {};
    expect(quiesceSeconds(entrypoint, PARAMETERS.mongod)).toBe(quiesceSeconds(command, PARAMETERS.mongod));
  });
});

test("the options for a member outside a pod are those of the manifests without the pod's files and addresses", () => {
  const [command = []] = commandsOf(rendered("production"), "mongod");
  expect(localOptions(command)).toEqual(["--noscripting", "--setParameter", `${PARAMETERS.mongod}=3000`]);
});
