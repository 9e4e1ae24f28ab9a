import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { MAX_IMPORT_BYTES } from "../../../contracts/event-import.contract.ts";
import { StartupError } from "../../run/startup-error.ts";
import { csvRows } from "./csv-rows.ts";
import { jsonRows } from "./json-rows.ts";
import { MalformedTable, type TableRow } from "./table-row.ts";

/** The tables of DisCal that are imported. */
const TABLES = ["guild_settings", "calendars", "events", "announcements"] as const;
export type TableName = (typeof TABLES)[number];

const ENDINGS = [".csv", ".json", ".jsonl"];

export interface CalendarFile {
  /** Absent if the file is larger than an import may be. */
  readonly text?: string;
}

/** A folder with the exported tables, and the iCalendar files of the calendars in `calendars`. */
export interface ExportFolder {
  /** The rows of a table, one at a time; none if the folder does not have the table. Rejects with StartupError. */
  rows(table: TableName): AsyncGenerator<TableRow>;
  /** The iCalendar file of a calendar; undefined without one. */
  calendar(guildId: string, calendarNumber: number): Promise<CalendarFile | undefined>;
}

export async function openExportFolder(folder: string): Promise<ExportFolder> {
  const names = await namesIn(folder);
  const found = TABLES.map((table) => {
    const files = ENDINGS.map((ending) => table + ending).filter((name) => names.includes(name));
    if (files.length > 1) throw new StartupError(`${folder}: give one of ${files.join(" and ")}`);
    return [table, files[0]] as const;
  });
  const files = new Map(found);
  if (found.every(([, file]) => file === undefined)) {
    throw new StartupError(
      `${folder} has none of ${TABLES.map((table) => `${table}.csv`).join(", ")}, also not as .json`,
    );
  }
  return {
    async *rows(table) {
      const file = files.get(table);
      if (file === undefined) return;
      const chunks = createReadStream(join(folder, file), "utf8") as AsyncIterable<string>;
      try {
        yield* file.endsWith(".csv") ? csvRows(chunks) : jsonRows(chunks);
      } catch (error) {
        throw error instanceof MalformedTable ? new StartupError(`${file}, ${error.message}`) : error;
      }
    },
    async calendar(guildId, calendarNumber) {
      const path = join(folder, "calendars", `${guildId}-${calendarNumber}.ics`);
      const size = await stat(path).then(
        (found_) => found_.size,
        () => undefined,
      );
      if (size === undefined) return undefined;
      return size > MAX_IMPORT_BYTES ? {} : { text: await readFile(path, "utf8") };
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    throw new StartupError(`${folder} is no folder that can be read`);
  }
}
