import type { Section } from "../table/section.ts";
import { fillGuilds } from "./fill-guilds.ts";
import { ROWS } from "./rows.ts";
import { startGuildcal, type Subject } from "./subjects.ts";

const NAME = "memory";
const ROW = "held after 200 000 requests";
const REQUESTS = 200_000;
const STEPS = 10;
const MEBIBYTE = 2 ** 20;
const READS = ROWS.filter(({ isWrite }) => !isWrite);

/** The memory of one process in MiB, after a number of requests. */
interface MemoryAt {
  readonly requests: number;
  /** Heap and external memory after a garbage collection. */
  readonly held: number;
  readonly resident: number;
}

/** Measures the memory of one process during many requests of all reads in turn. */
export const MEMORY: Section = {
  name: NAME,
  heading: "memory",
  rowNames: [ROW],
  hasServerCpu: true,

  async measure({ given, loader, pace: { connections }, started }) {
    await fillGuilds(given);
    const guildcal = await started(startGuildcal(given));
    const each = Math.round(REQUESTS / STEPS / READS.length);
    const figures: MemoryAt[] = [];
    for (let step = 1; step <= STEPS; step += 1) {
      for (const row of READS) await loader.run(guildcal, row, { connections, requests: each });
      figures.push({ requests: step * each * READS.length, ...(await memoryOf(guildcal)) });
    }
    const [first, ...later] = figures as [MemoryAt, ...MemoryAt[]];
    const ratios = later.map(({ held }) => held / first.held);
    const last = later.at(-1) as MemoryAt;
    const row = {
      row: `${NAME}: ${ROW}`,
      figure: `÷ held after ${first.requests}`,
      unit: "",
      bound: { most: 1.02 },
      value: last.held / first.held,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      detail: `${last.held.toFixed(1)} : ${first.held.toFixed(1)} MiB; resident ${last.resident.toFixed(0)} : ${first.resident.toFixed(0)} MiB`,
    } as const;
    return { rows: [row], figures };
  },
};

/** Several collections, since work of dispatch may be in flight during some of them. */
const COLLECTIONS = 3;

async function memoryOf(guildcal: Subject): Promise<Pick<MemoryAt, "held" | "resident">> {
  const resident = Object.values(await guildcal.usage()).reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  let held = Infinity;
  for (let collection = 0; collection < COLLECTIONS; collection += 1) held = Math.min(held, await guildcal.held());
  return { resident: resident / MEBIBYTE, held: held / MEBIBYTE };
}
