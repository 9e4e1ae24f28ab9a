import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { ClientProject } from "../harness/client-project.ts";
import { GuildcalProcess, PROJECT } from "../harness/guildcal-process.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const run = promisify(execFile);
const KEY = "a-key-of-twenty-characters-or-more";
const PATH = process.env["PATH"]!;

describe("an example in its own folder, with packed clients and npm run start:nats", () => {
  let directory: string;
  let env: Record<string, string>;
  let guildcal: GuildcalProcess;
  let natsUrl: string;
  const projects: ClientProject[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-examples-"));
    env = { PATH, DATA_DIR: directory, PORT: String(await freePort(0)), API_KEY: KEY };
    guildcal = new GuildcalProcess("nats", env);
    await guildcal.printed(/guildcal is ready/);
    [, natsUrl = ""] = await guildcal.printed(/Services of bus users join at (\S+)/);
  });
  afterAll(async () => {
    await Promise.all(projects.map((project) => project.end()));
    await guildcal.end();
    await removeFolder(directory);
  });

  async function projectOf(client: "http" | "contracts", example: string, file: string): Promise<ClientProject> {
    const made = await ClientProject.make(client);
    projects.push(made);
    await made.copy(join("examples", example, file), file);
    return made;
  }

  async function busUser(...words: string[]): Promise<Record<"GUILDCAL_BUS_USER" | "GUILDCAL_BUS_SEED", string>> {
    const script = join(PROJECT, "services/launch/start.js");
    const { stdout } = await run(process.execPath, [script, "bus-users", "create", "--json", ...words], { env });
    const { name, seed } = JSON.parse(stdout) as { readonly name: string; readonly seed: string };
    return { GUILDCAL_BUS_USER: name, GUILDCAL_BUS_SEED: seed };
  }

  test("the bot creates an event and its announcement, and prints that it was posted", async () => {
    const bot = await projectOf("http", "bot", "bot.ts");
    const address = { GUILDCAL_URL: `http://127.0.0.1:${env["PORT"]}`, LEAD_MINUTES: "1", DUE_IN_S: "4" };
    const output = await bot.run("bot.ts", { PATH, ...address, GUILDCAL_KEY: KEY });
    expect(output).toMatch(/^event e[a-v0-9]{25}, announcement [\da-f-]{36}\nposted, \d+ ms after it was due\n$/);
    await guildcal.printed(/"content":"Subscribers: @everyone"[^\n]*"title":"Raid night"/);
    const refused = bot.run("bot.ts", { PATH, ...address, GUILDCAL_KEY: "gc_wrong" });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("UNAUTHORIZED") as unknown,
    });
  });

  test.each(["moleculer", "moleculer-0-14"])(
    "the service joins with %s, writes, and gets the event of the post",
    async (moleculer) => {
      const service = await projectOf("contracts", "service", "service.ts");
      await service.link({ moleculer, nats: "nats", "cbor-x": "cbor-x" });
      const user = await busUser("--name", `on-${moleculer}`, "--access", "write");
      const shop = service.start("service.ts", { PATH, ...user, GUILDCAL_NATS_URL: natsUrl, DUE_IN_S: "6" });
      expect(await shop.printed(/event \S+ is announced at its start/)).toMatch(/^event e[a-v0-9]{25} /);
      expect(await shop.printed(/posted in .*/)).toMatch(/^posted in 381142957109346304, \d+ ms late$/);
    },
  );

  test("a write of the service with a user who may only read is refused as an unknown action", async () => {
    const service = await projectOf("contracts", "service", "service.ts");
    await service.link({ moleculer: "moleculer", nats: "nats", "cbor-x": "cbor-x" });
    const user = await busUser("--name", "reader", "--access", "read", "--guild", "375357265198317580");
    const shop = service.start("service.ts", { PATH, ...user, GUILDCAL_NATS_URL: natsUrl });
    expect(await shop.printed(/ServiceNotFoundError: .*/)).toContain("'calendar-events.create' is not found");
  });
});
