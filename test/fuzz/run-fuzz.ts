import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process, { env, memoryUsage, stdout } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startAll } from "../../services/launch/modes.ts";
import { Fuzzer } from "./fuzzer.ts";
import { keysOfAskers } from "./keys-of-askers.ts";

const REQUESTS = Number(env["FUZZ_REQUESTS"] ?? 200_000);
const SEED = Number(env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
const PARTS = 10;
const OPERATOR_KEY = "operator-key-of-the-fuzzer";
/** What the heap may have grown by, from the third tenth of the requests to the last. */
const MOST_GROWTH_MB = 64;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Megabytes of the heap that are in use after a collection. */
function heapMb(): number {
  collectGarbage();
  return memoryUsage().heapUsed / 2 ** 20;
}

/** `npm run fuzz`: the service in this process, without limits of rate, and as many requests as are asked for. */
async function main(): Promise<void> {
  const rejections: unknown[] = [];
  process.on("unhandledRejection", (reason) => rejections.push(reason));
  const directory = await mkdtemp(join(tmpdir(), "guildcal-fuzz-"));
  const noLimits = { REQUESTS_PER_KEY: "0", REQUESTS_PER_GUILD: "0", FAILED_KEYS_PER_ADDRESS: "0" };
  const settings = { ...noLimits, DATA_DIR: directory, PORT: "0", API_KEY: OPERATOR_KEY, LOG_LEVEL: "error" };
  const service = await startAll(settings);
  try {
    const fuzzer = new Fuzzer({ baseUrl: service.baseUrl, keys: await keysOfAskers(postTo(service.baseUrl)) });
    const heaps: number[] = [];
    for (let part = 0; part < PARTS; part += 1) {
      await fuzzer.run(REQUESTS / PARTS, SEED + part);
      heaps.push(heapMb());
      stdout.write(
        `${fuzzer.asked} requests, heap ${heaps.at(-1)?.toFixed(0)} MB, ${JSON.stringify(fuzzer.statuses)}\n`,
      );
    }
    const growth = (heaps.at(-1) ?? 0) - (heaps[2] ?? 0);
    if (rejections.length > 0) throw new Error(`${rejections.length} unhandled rejections`, { cause: rejections[0] });
    if (growth > MOST_GROWTH_MB) throw new Error(`the heap has grown by ${growth.toFixed(0)} MB`);
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function postTo(baseUrl: string) {
  return async (path: string, body: object) => {
    const headers = { authorization: OPERATOR_KEY, "content-type": "application/json" };
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { body: (await response.json()) as Record<string, unknown> };
  };
}

stdout.write(`seed ${SEED}; FUZZ_SEED=${SEED} asks the same again\n`);
await main();
