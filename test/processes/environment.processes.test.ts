import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GuildcalProcess } from "../harness/guildcal-process.ts";
import { childrenOf, commandLine } from "../harness/service-process.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { removeFolder } from "../harness/remove-folder.ts";

/** Each secret, with the only process that may know it. */
const SECRETS = {
  API_KEY: { value: "a-key-of-twenty-characters-or-more", owner: "api" },
  API_KEY_PEPPER: { value: "a-pepper-of-thirty-two-characters-or-more", owner: "api" },
  WEBHOOKS_KEY: { value: "a-key-of-webhooks-of-thirty-two-characters", owner: "webhooks" },
  DISCORD_TOKEN: { value: "a-token-of-the-bot", owner: "dispatch" },
  WEBHOOK_SECRET: { value: `whsec_${Buffer.alloc(32, 7).toString("base64")}`, owner: "dispatch" },
};
const FOREIGN = "a-secret-of-another-program";

describe("the environment of a process", () => {
  let directory: string;
  let launched: GuildcalProcess;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-environment-"));
  });
  afterEach(async () => {
    await launched.end("SIGTERM");
    await removeFolder(directory);
  });

  /** The environments of all descendants of `guildcal`, by their programs. */
  async function environments(mode: "all" | "nats"): Promise<Map<string, string>> {
    const secrets = Object.fromEntries(Object.entries(SECRETS).map(([name, { value }]) => [name, value]));
    launched = new GuildcalProcess(mode, { ...secrets, FOREIGN, DATA_DIR: directory, PORT: "0", LOG_LEVEL: "warn" });
    await launched.printed(/guildcal is ready/);
    const children = await childrenOf(launched.pid);
    const watchers = (await Promise.all(children.map(childrenOf))).flat();
    const entries = await Promise.all(
      [...children, ...watchers].map(async (pid) => {
        const words = await commandLine(pid);
        const name = words.some((word) => word.endsWith("start.js")) ? words.at(-1) : programOf(words);
        return [`${name} ${pid}`, await readFile(`/proc/${pid}/environ`, "utf8")] as const;
      }),
    );
    return new Map(entries);
  }

  function programOf(words: readonly string[]): string {
    const path = words[0] ?? "";
    return path.slice(path.lastIndexOf("/") + 1);
  }

  function named(all: ReadonlyMap<string, string>, program: string): string[] {
    return [...all].filter(([name]) => name.startsWith(`${program} `)).map(([, environment]) => environment);
  }

  test("npm run start:nats: each service has only its own secrets; mongod, nats-server and the watchers have none", async () => {
    const all = await environments("nats");
    const programs = new Set([...all.keys()].map((name) => name.split(" ", 1)[0]));
    expect(programs).toEqual(new Set([...SERVICES, "mongod", "nats-server", "sh"]));
    for (const [secret, { value, owner }] of Object.entries(SECRETS)) {
      const holders = [...all].filter(([, environment]) => environment.includes(value)).map(([name]) => name);
      expect([secret, holders.map((name) => name.split(" ", 1)[0])]).toEqual([secret, [owner]]);
    }
    // Each service has its own passwords for the bus and the database; nats-server has those for the bus.
    const words = (text: string) => [...text.matchAll(/[0-9a-f]{64}/g)].map(([word]) => word);
    for (const service of SERVICES) expect(new Set(words(named(all, service).join("")))).toHaveProperty("size", 2);
    expect(words(named(all, "mongod").join("") + named(all, "sh").join(""))).toEqual([]);
    expect([...all].filter(([, environment]) => environment.includes(FOREIGN)).map(([name]) => name)).toEqual([]);
  });

  test("npm start: neither mongod nor its watcher has a secret", async () => {
    const all = await environments("all");
    const programs = new Set([...all.keys()].map((name) => name.split(" ", 1)[0]));
    expect(programs).toEqual(new Set(["mongod", "sh"]));
    const told = Object.values(SECRETS).filter(({ value }) => [...all.values()].some((text) => text.includes(value)));
    expect(told).toEqual([]);
    expect([...all.values()].join("")).not.toContain(FOREIGN);
  });
});
