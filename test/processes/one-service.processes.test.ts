import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "../harness/guildcal-process.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

/** Time for which a gateway waits for the other services, with some time for its start. */
const OTHERS_AWAITED_MS = 25_000;

describe("one service in its own process, as in a container", () => {
  let folder: string;
  let probeUrl: string;
  let gateway: GuildcalProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guildcal-one-"));
    const [port, probePort] = [await freePort(0), await freePort(0)];
    probeUrl = `http://127.0.0.1:${probePort}`;
    await writeFile(join(folder, "mongo"), emptyDatabase());
    await writeFile(join(folder, "nats"), `${process.env["TEST_NATS_URL"]}\n`);
    gateway = new GuildcalProcess("api", {
      MONGO_URL_FILE: join(folder, "mongo"),
      NATS_URL_FILE: join(folder, "nats"),
      PORT: String(port),
      API_KEY_PEPPER: "pepper-of-the-tests-0123456789abcdef",
      PROBE_PORT: String(probePort),
    });
  });
  afterAll(async () => {
    await gateway.end("SIGKILL");
    await removeFolder(folder);
  });

  async function ask(path: string): Promise<number> {
    return fetch(probeUrl + path).then(
      ({ status }) => status,
      () => 0,
    );
  }

  test("is alive and not ready while the gateway does not know the other services", async () => {
    await until(async () => (await ask("/health/live")) === 200, "the process is alive");
    expect(await ask("/health/ready")).toBe(503);
  });

  test("is ready after a limited time without them, so that its other routes are reachable", async () => {
    await until(async () => (await ask("/health/ready")) === 200, "the gateway is ready", OTHERS_AWAITED_MS);
    expect(await ask("/metrics")).toBe(200);
  });

  test("ends at SIGTERM", async () => {
    await expect(gateway.end("SIGTERM")).resolves.toBe(0);
  });

  test("has logged only lines of JSON", () => {
    expect(levelsIn(gateway.output)).toContain("info");
  });

  test("logs as JSON, too, why it does not start", async () => {
    const wrong = new GuildcalProcess("guild-settings", { PORT: "none", LOG_LEVEL: "loud" });
    await expect(wrong.exitCode()).resolves.toBe(1);
    expect(levelsIn(wrong.output)).toEqual(["fatal", "fatal"]);
  });
});

/** The level of each line; throws if a line is not JSON. */
function levelsIn(output: string): string[] {
  const lines = output.split("\n").filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { readonly level: string }).level);
}
