import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { localToInstant } from "../../../services/calendar-events/domain/calendar/local-to-instant.ts";
import { zone } from "../any-series.ts";
import type { InteropSeries } from "./interop-series.ts";
import { KNOWN_DEFECTS } from "./rule-parts.ts";

/** The Python of the distribution, which has its packages; another one may be the first on PATH. */
const PYTHON = "/usr/bin/python3";
const PROGRAM = fileURLToPath(new URL("read-calendars.py", import.meta.url));
export const PACKAGES = "python3-icalendar python3-dateutil gir1.2-ical-3.0 python3-gi";

/** Its clock was changed in 2026, which the zoneinfo of Debian 12 does not have. */
const NEWER_THAN_ZONEINFO = "America/Havana";

/** Whether a reader is known to have other starts, by a defect or by older rules of the zone. */
export function isReadWrong(reader: "dateutil" | "libical", { rrule, timezone }: InteropSeries): boolean {
  return KNOWN_DEFECTS[reader](rrule) || timezone === NEWER_THAN_ZONEINFO;
}

type Start = readonly ["instant" | "date", number];

/** A body as dateutil and libical read it, and as icalendar and libical write it. */
export interface ReadByOthers {
  /** Undefined if the library refuses the rule. */
  readonly starts: Readonly<Record<"dateutil" | "libical", readonly number[] | undefined>>;
  readonly written: Readonly<Record<"icalendar" | "libical", string>>;
}

/** What the other libraries make of each series; undefined if they are not installed. */
export async function readByOthers(all: readonly InteropSeries[]): Promise<ReadByOthers[] | undefined> {
  const { code, output, errors } = await run(
    all.map(({ text, window }) => `${JSON.stringify({ text, ...window })}\n`).join(""),
  );
  if (/ModuleNotFoundError|ImportError|Namespace ICalGLib not available|ENOENT/.test(errors)) return undefined;
  if (code !== 0) throw new Error(`${PROGRAM} ended with ${code}:\n${errors}`);
  const lines = output.trimEnd().split("\n");
  return lines.map((line, at) => {
    const { timezone = "UTC" } = all[at] ?? {};
    const { written, ...read } = JSON.parse(line) as ReadByOthers &
      Record<"dateutil" | "libical", readonly Start[] | null>;
    const starts = (of: readonly Start[] | null) =>
      of?.map((start) => instantOf(start, timezone)).toSorted((a, b) => a - b);
    return { starts: { dateutil: starts(read.dateutil), libical: starts(read.libical) }, written };
  });
}

function instantOf([kind, at]: Start, timezone: string): number {
  return kind === "date" ? localToInstant(at, zone(timezone)) : at;
}

function run(
  input: string,
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
  return new Promise((resolve) => {
    const program = spawn(PYTHON, [PROGRAM], { stdio: ["pipe", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    program.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    program.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    program.on("error", (error) => resolve({ code: null, output, errors: String(error) }));
    program.on("close", (code) => resolve({ code, output, errors }));
    // A program that could not start has closed its input.
    program.stdin.on("error", () => undefined);
    program.stdin.end(input);
  });
}
