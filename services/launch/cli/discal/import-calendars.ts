import { createHash } from "node:crypto";
import { calendarProperties, type ComposedBody, eventIdsIn, withImages } from "./calendar-file.ts";
import { type ImportRun, refusedRow } from "./import-run.ts";
import { type ChangeCode, changesOf, type RowOutcome, skippedRow } from "./row-outcome.ts";
import { calendarKey, imageOf } from "./survey-export.ts";
import { integerIn, snowflakeIn } from "./table-row.ts";

type Place = Pick<RowOutcome, "table" | "line" | "row">;

interface CalendarRow {
  readonly place: Place;
  readonly guildId: string;
  readonly calendarNumber: number;
}

/** An entry in the report of `/v2/calendar/import`. */
interface VeventEntry {
  readonly line: number;
  readonly outcome: "skipped" | "changed";
  readonly reason: string;
  readonly message: string;
}

/** The outcomes of the images of a calendar. */
interface PlacedImages {
  readonly outcome: "imported" | "unchanged";
  readonly eventIds: ReadonlySet<string>;
}

/** Imports the calendars with their iCalendar files, then reports the rows of `events`, whose images are in them. */
export async function importCalendars(run: ImportRun): Promise<void> {
  const { folder, record, isWanted, survey } = run;
  const placed = new Map<string, PlacedImages>();
  for await (const row of folder.rows("calendars")) {
    const [guildId, calendarNumber] = [snowflakeIn(row, "guild_id"), integerIn(row, "calendar_number") ?? 0];
    const place = { table: "calendars", line: row.line, row: `calendars ${guildId ?? ""} ${calendarNumber}` };
    if (guildId === undefined) await record.add(skippedRow(place, "INVALID_GUILD"));
    else if (calendarNumber < 1) await record.add(skippedRow(place, "INVALID_CALENDAR"));
    else if (isWanted(guildId)) {
      const file = await folder.calendar(guildId, calendarNumber);
      if (file === undefined) await record.add(skippedRow(place, "NO_FILE"));
      else if (file.text === undefined) await record.add(skippedRow(place, "TOO_LARGE"));
      else {
        const { text } = file;
        const images = survey.images.get(calendarKey(guildId, calendarNumber)) ?? new Map<string, string>();
        const outcome = await importCalendar(run, { place, guildId, calendarNumber }, text, withImages(text, images));
        const ids = eventIdsIn(text);
        const eventIds = new Set([...images.keys()].filter((id) => ids.has(id)));
        if (outcome !== "skipped") placed.set(calendarKey(guildId, calendarNumber), { outcome, eventIds });
      }
    }
  }
  await reportImages(run, placed);
}

async function importCalendar(
  { requests, record, isDryRun }: ImportRun,
  { place, guildId, calendarNumber }: CalendarRow,
  text: string,
  composed: ComposedBody,
): Promise<RowOutcome["outcome"]> {
  const digest = createHash("sha256").update(composed.body).digest("hex");
  if (record.isDone(place.row, digest)) {
    await record.add({ ...place, outcome: "unchanged" });
    return "unchanged";
  }
  const changes: ChangeCode[] = [];
  const where = { guild_id: guildId, calendar_number: calendarNumber };
  const properties = calendarProperties(text);
  if (!isDryRun && Object.keys(properties).length > 0) {
    // The zone comes first: all-day events are on its clock.
    const { status } = await requests.post("/v2/calendar/update", { ...where, ...properties });
    if (status !== 200) changes.push("NAME_REFUSED");
  }
  const query = { guild_id: guildId, calendar_number: String(calendarNumber), dry_run: String(isDryRun) };
  const response = await requests.importCalendar(query, composed.body);
  if (response.status !== 200) {
    await record.add(refusedRow(place, response));
    return "skipped";
  }
  const report = response.body["report"] as readonly VeventEntry[];
  for (const entry of report) await record.add(veventOutcome(place, entry, composed.lineInFile));
  if (report.length > 0) changes.push("EVENTS_REPORTED");
  await record.add({ ...place, outcome: "imported", digest, ...changesOf(changes) });
  return "imported";
}

/** The outcome of a VEVENT, by its line in the file of the calendar. */
function veventOutcome(
  { row }: Place,
  { line: bodyLine, outcome, reason, message }: VeventEntry,
  lineInFile: ComposedBody["lineInFile"],
): RowOutcome {
  const line = lineInFile(bodyLine);
  const place = { table: "VEVENT", line, row: `VEVENT ${row.replace("calendars ", "")} ${line}` };
  if (outcome === "skipped") return { ...place, outcome, reason, message };
  return { ...place, outcome: "imported", changes: [{ reason, message }] };
}

async function reportImages({ folder, record, isWanted }: ImportRun, placed: ReadonlyMap<string, PlacedImages>) {
  for await (const row of folder.rows("events")) {
    const image = imageOf(row);
    if (typeof image === "string") {
      const guildId = snowflakeIn(row, "guild_id");
      const place = { table: "events", line: row.line, row: `events ${guildId ?? ""} ${row.line}` };
      if (guildId === undefined || isWanted(guildId)) await record.add(skippedRow(place, image));
    } else if (isWanted(image.guildId)) {
      const place = { table: "events", line: row.line, row: `events ${image.guildId} ${image.eventId}` };
      const images = placed.get(calendarKey(image.guildId, image.calendarNumber));
      const isPlaced = images?.eventIds.has(image.eventId) === true;
      await record.add(isPlaced ? { ...place, outcome: images.outcome } : skippedRow(place, "NO_EVENT"));
    }
  }
}
