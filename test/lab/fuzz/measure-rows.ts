import { setTimeout as pause } from "node:timers/promises";
import { startCalendarServer } from "../../harness/calendar-server.ts";
import { MemoryWatch, residentMebibytes } from "../hostile/process-memory.ts";
import { breachIn, type HostileRow, hostileStage, type Outcome } from "./hostile-row.ts";

/** The service under attack. */
interface RowTarget {
  readonly baseUrl: string;
  readonly key: string;
  readonly pid: number;
}

/** A row as it was measured. */
export interface MeasuredRow {
  readonly name: string;
  readonly seconds: number;
  /** The 99th percentile of the neighbour's responses, in milliseconds. */
  readonly neighbourP99: number;
  /** Peak of the resident memory of the service, in MiB. */
  readonly peak: number;
  /** A sentence for each promise that was broken. */
  readonly broken: readonly string[];
}

const MANY = 1_000_000;
/**
 * The time of a row, as a multiple of that of a plain body of ten megabytes, which has few lines and one event: five million empty
 * lines take about 10 times as long, 50 000 skipped events 25 times, the search of a thousand time zones 35 times.
 */
const MAX_TIMES = 60;
/** The time after which an import ends, and the longest call that has begun before. */
const MAX_IMPORT_SECONDS = 45 + 6;
/** Peak of the resident memory above that of the plain body, or above the memory before the row if that is more. */
const MAX_MEBIBYTES_MORE = 96;
const MAX_MEBIBYTES = 512;
/** The neighbour's p99, as a multiple of that beside the plain body, of which less than 20 ms counts as 20 ms. */
const MAX_SLOWDOWN = 5;
const MIN_P99_MS = 20;
const NEIGHBOUR_EVERY_MS = 20;

/** An import of ten megabytes of properties that are not imported, with which the rows are compared. */
const PLAIN: HostileRow = {
  name: "plain body of ten megabytes",
  async attack({ importCalendar }) {
    const lines = `X-A:${"x".repeat(70)}\r\n`.repeat(130_000);
    const event = `BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20300101T100000Z\r\n${lines}END:VEVENT\r\n`;
    const { status, body } = await importCalendar(`BEGIN:VCALENDAR\r\n${event}END:VCALENDAR\r\n`);
    return { expected: [200, 1], received: [status, body["created"]] };
  },
};
const PLAIN_ROUNDS = 3;

/** Measures the plain body, and then each row; calls `onMeasured` with each. */
export async function measureRows(
  target: RowTarget,
  rows: readonly HostileRow[],
  onMeasured: (row: MeasuredRow) => void,
): Promise<void> {
  let plain = { seconds: 0, neighbourP99: 0, before: 0, peak: 0 };
  for (let round = 0; round < PLAIN_ROUNDS; round += 1) {
    // The first rounds warm up.
    const { outcome, ...measured } = await measure(target, PLAIN, String(9_100 + round));
    plain = { ...measured, peak: Math.max(plain.peak, measured.peak) };
    if (breachIn(outcome) !== undefined) throw new Error(breachIn(outcome));
  }
  onMeasured({ name: PLAIN.name, ...plain, broken: [] });
  for (const [at, row] of rows.entries()) {
    const { outcome, ...measured } = await measure(target, row, String(9_200 + at));
    const { seconds, neighbourP99, peak, before } = measured;
    const most = row.takesWholeImport ? MAX_IMPORT_SECONDS : MAX_TIMES * plain.seconds;
    const breach = breachIn(outcome);
    const broken = [
      ...(breach === undefined ? [] : [breach]),
      ...(seconds <= most ? [] : [`took ${seconds.toFixed(1)} s, more than ${most.toFixed(1)} s`]),
      ...(peak <= Math.min(MAX_MEBIBYTES, Math.max(before, plain.peak) + MAX_MEBIBYTES_MORE)
        ? []
        : [`took ${peak} MiB, of which ${before} before it, the plain body ${plain.peak} MiB`]),
      ...(neighbourP99 <= MAX_SLOWDOWN * Math.max(MIN_P99_MS, plain.neighbourP99)
        ? []
        : [
            `the neighbour's p99 was ${neighbourP99.toFixed(0)} ms, beside the plain body ${plain.neighbourP99.toFixed(0)} ms`,
          ]),
    ];
    onMeasured({ name: row.name, ...measured, broken });
  }
}

async function measure({ pid, ...target }: RowTarget, row: HostileRow, guild: string) {
  const server = await startCalendarServer();
  const before = await residentMebibytes(pid);
  const watch = new MemoryWatch(() => [pid]);
  const neighbour = startNeighbour(target);
  try {
    const startedAt = performance.now();
    const outcome: Outcome = await row.attack(hostileStage(target, { many: MANY, guild, server }));
    const seconds = (performance.now() - startedAt) / 1_000;
    return { outcome, seconds, neighbourP99: await neighbour.end(), before, peak: peakOf(await watch.end()) };
  } finally {
    await neighbour.end();
    await watch.end();
    await server.close();
  }
}

/** The memory of the service's own process; its MongoDB is a child. */
function peakOf(peaks: Awaited<ReturnType<MemoryWatch["end"]>>): number {
  return Math.max(0, ...peaks.flatMap(({ name, mebibytes }) => (name.startsWith("mongod") ? [] : [mebibytes])));
}

/** Reads the settings of another guild every 20 ms. */
function startNeighbour({ baseUrl, key }: Omit<RowTarget, "pid">) {
  const took: number[] = [];
  const over = new AbortController();
  async function ask(): Promise<void> {
    const startedAt = performance.now();
    const headers = { authorization: key, "content-type": "application/json" };
    const body = JSON.stringify({ guild_id: "9001" });
    const response = await fetch(`${baseUrl}/v2/guild/settings/get`, { method: "POST", headers, body });
    await response.arrayBuffer();
    took.push(response.status === 200 ? performance.now() - startedAt : Infinity);
  }
  const running = (async () => {
    while (!over.signal.aborted) {
      await Promise.all([ask(), pause(NEIGHBOUR_EVERY_MS)]);
    }
  })();
  return {
    async end(): Promise<number> {
      over.abort();
      await running;
      return took.toSorted((one, other) => one - other)[Math.floor(took.length * 0.99)] ?? 0;
    },
  };
}
