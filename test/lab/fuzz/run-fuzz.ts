import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stdout } from "node:process";
import { freePort } from "../../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "../../harness/guildcal-process.ts";
import { readOptions, selectOnly } from "../options.ts";
import { Fuzzer } from "./fuzzer.ts";
import { fuzzKeys } from "./fuzz-keys.ts";
import { OUTSIDE_ADDRESS } from "./hostile-addresses.ts";
import { HOSTILE_ROWS } from "./hostile-table.ts";
import { type MeasuredRow, measureRows } from "./measure-rows.ts";
import { memoryOf, type ProcessMemory } from "./process-memory.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

const {
  requests: REQUESTS,
  seed: SEED,
  only: ONLY,
} = readOptions({ requests: 200_000, seed: Date.now() % 2 ** 31, only: [] });
const GENERATED = "generated requests";
const CHOSEN = new Set(selectOnly([GENERATED, ...HOSTILE_ROWS.map(({ name }) => name)], ONLY, (name) => name));
/** Number of memory samples. The last one is compared with the first. */
const PARTS = 10;
const OPERATOR_KEY = "operator-key-of-the-fuzzer";
/** Maximum growth of memory between the first tenth of the requests and the last. */
const MAX_HEAP_MB = 16;
const MAX_RESIDENT_MB = 48;

/**
 * `npm run fuzz` sends the hostile rows and `--requests` generated requests to the service, which runs as with `npm start` but
 * without rate limits, and may follow one address of loopback.
 */
async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-fuzz-"));
  const noLimits = { REQUESTS_PER_KEY: "0", REQUESTS_PER_GUILD: "0", FAILED_KEYS_PER_ADDRESS: "0" };
  const port = await freePort(0);
  const watched = { PORT: String(port), NODE_OPTIONS: "--inspect=127.0.0.1:0" };
  const settings = {
    ...noLimits,
    ...watched,
    FOLLOW_ALLOW_PRIVATE: OUTSIDE_ADDRESS,
    DATA_DIR: directory,
    API_KEY: OPERATOR_KEY,
    LOG_LEVEL: "error",
  };
  const service = new GuildcalProcess("all", settings);
  try {
    const [inspectorUrl] = await service.printed(/ws:\S+/);
    await service.printed(/guildcal is ready/);
    const baseUrl = `http://127.0.0.1:${port}`;
    if (CHOSEN.has(GENERATED)) await sendGenerated(baseUrl, inspectorUrl);
    const rows = HOSTILE_ROWS.filter(({ name }) => CHOSEN.has(name));
    if (rows.length > 0) await sendRows(rows, { baseUrl, key: OPERATOR_KEY, pid: service.pid });
  } finally {
    // An unhandled rejection ends the process with another code than 0.
    const code = await service.end();
    await removeFolder(directory);
    if (code !== 0) stdout.write(`the service ended with ${code}:\n${service.output.slice(-10_000)}\n`);
    process.exitCode ||= code ?? 1;
  }
}

async function sendGenerated(baseUrl: string, inspectorUrl: string): Promise<void> {
  stdout.write(`seed ${SEED}; --seed ${SEED} sends the same requests again\n`);
  const fuzzer = new Fuzzer({ baseUrl, keys: await fuzzKeys(postTo(baseUrl)) });
  const samples: ProcessMemory[] = [];
  for (let part = 0; part < PARTS; part += 1) {
    await fuzzer.run(REQUESTS / PARTS, SEED + part);
    samples.push(await memoryOf(inspectorUrl));
    stdout.write(`${fuzzer.sent} requests, ${memoryText(samples.at(-1)!)}, ${JSON.stringify(fuzzer.statuses)}\n`);
  }
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const [heap, resident] = [last.heapUsed - first.heapUsed, last.rss - first.rss];
  const growth = `from ${REQUESTS / PARTS} requests on: heap ${heap.toFixed(1)} MB more, resident ${resident.toFixed(1)} MB`;
  stdout.write(`${growth}\n`);
  if (heap > MAX_HEAP_MB || resident > MAX_RESIDENT_MB) throw new Error(`the service has grown: ${growth}`);
}

async function sendRows(...[rows, target]: [Parameters<typeof measureRows>[1], Parameters<typeof measureRows>[0]]) {
  let isBroken = false;
  const show = ({ name, seconds, neighbourP99, peak, broken }: MeasuredRow) => {
    isBroken ||= broken.length > 0;
    const figures = `${seconds.toFixed(2).padStart(6)} s  ${neighbourP99.toFixed(0).padStart(5)} ms  ${String(peak).padStart(5)} MiB`;
    stdout.write(`${name.padEnd(80)}  ${figures}  ${broken.length === 0 ? "holds" : `BROKEN: ${broken.join("; ")}`}\n`);
  };
  stdout.write(`${"row".padEnd(80)}      time  neighbour  memory\n`);
  await measureRows(target, rows, show);
  if (isBroken) throw new Error("a hostile row broke a promise");
}

function memoryText({ rss, heapUsed, external }: ProcessMemory): string {
  return `resident ${rss.toFixed(0)} MB (heap ${heapUsed.toFixed(0)}, buffers ${external.toFixed(0)})`;
}

function postTo(baseUrl: string) {
  return async (path: string, body: object) => {
    const headers = { authorization: OPERATOR_KEY, "content-type": "application/json" };
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { body: (await response.json()) as Record<string, unknown> };
  };
}

await main();
