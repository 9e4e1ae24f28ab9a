import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { StartupError } from "../../run/startup-error.ts";
import type { RowOutcome } from "./row-outcome.ts";

/** Rows of earlier runs that are held in memory, about 100 MB. */
const MAX_DONE = 500_000;

/**
 * The report of the import: a file with a JSON object for each row. It is also the record by which a further run knows what was
 * imported, so that it changes nothing that was edited since.
 */
export interface ImportRecord {
  /** Whether an earlier run has imported the row, of a calendar with this digest. */
  isDone(row: string, digest?: string): boolean;
  /** Writes an outcome, and counts it. */
  add(outcome: RowOutcome): Promise<void>;
  counts(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Opens the report. The report of a dry run is written from the beginning, and records nothing. */
export async function openRecord(path: string, isDryRun: boolean): Promise<ImportRecord> {
  const done = isDryRun ? new Map<string, string>() : await readDone(path);
  const file = await open(path, isDryRun ? "w" : "a");
  // A run that was killed may have left half a line.
  if (!isDryRun && (await file.stat()).size > 0) await file.appendFile("\n");
  const counts = new Map<string, number>();
  return {
    isDone: (row, digest = "") => done.get(row) === digest,
    async add(outcome) {
      const { table, outcome: what, reason = "" } = outcome;
      const counted = `${table} ${what} ${what === "skipped" ? reason : ""}`.trim();
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
      await file.appendFile(`${JSON.stringify(outcome)}\n`);
    },
    counts: () => counts,
    async close() {
      await file.sync();
      await file.close();
    },
  };
}

async function readDone(path: string): Promise<Map<string, string>> {
  const done = new Map<string, string>();
  const lines = createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      const { row, outcome, digest = "" } = parsed(line);
      if (row !== undefined && outcome === "imported") done.set(row, digest);
      if (done.size > MAX_DONE) {
        throw new StartupError(
          `${path} has more than ${MAX_DONE} rows: give another file with --report for further guilds`,
        );
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return done;
}

function parsed(line: string): Partial<RowOutcome> {
  try {
    return (JSON.parse(line) ?? {}) as Partial<RowOutcome>;
  } catch {
    return {};
  }
}
