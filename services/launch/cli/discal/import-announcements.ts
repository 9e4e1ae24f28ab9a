import { eventIdsIn, onlyEvents } from "./calendar-file.ts";
import { type ImportRun, refusedRow } from "./import-run.ts";
import { announcementOf, type MappedAnnouncement, type ReferredEvent } from "./map-announcement.ts";
import { changesOf, type RowOutcome, skippedRow } from "./row-outcome.ts";
import { calendarKey } from "./survey-export.ts";

/** Announcements that are read before their events are searched: one request for the events of a calendar. */
const BATCH_ROWS = 500;

interface AnnouncementRow {
  readonly place: Pick<RowOutcome, "table" | "line" | "row">;
  readonly mapped: MappedAnnouncement;
}

/** The ids in guildcal by those of DisCal, for each calendar (`calendarKey`). */
type FoundEvents = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Imports the rows of `announcements`. Events are there before: an announcement that is created after the due instant of a post
 * skips that post (D31), so nothing is posted that DisCal has posted.
 */
export async function importAnnouncements(run: ImportRun): Promise<void> {
  const { folder, record, isWanted, survey } = run;
  const stateOf = (guildId: string) => ({
    isPaused: survey.pausedGuilds.has(guildId),
    hasManyCalendars: survey.guildsWithManyCalendars.has(guildId),
  });
  let batch: AnnouncementRow[] = [];
  for await (const row of folder.rows("announcements")) {
    const mapped = announcementOf(row, stateOf);
    const name = typeof mapped === "string" ? `line ${row.line}` : `${mapped.guildId} ${mapped.id}`;
    const place = { table: "announcements", line: row.line, row: `announcements ${name}` };
    if (typeof mapped === "string") await record.add(skippedRow(place, mapped));
    else if (!isWanted(mapped.guildId)) continue;
    else if (record.isDone(place.row)) await record.add({ ...place, outcome: "unchanged" });
    else batch.push({ place, mapped });
    if (batch.length < BATCH_ROWS) continue;
    await importBatch(run, batch);
    batch = [];
  }
  await importBatch(run, batch);
}

async function importBatch(run: ImportRun, batch: readonly AnnouncementRow[]): Promise<void> {
  const found = await findEvents(run, batch);
  for (const { place, mapped } of batch) await run.record.add(await importOne(run, place, mapped, found));
}

async function importOne(
  { requests, isDryRun }: ImportRun,
  place: AnnouncementRow["place"],
  { guildId, id, calendarNumber, event, fields, changes }: MappedAnnouncement,
  found: FoundEvents,
): Promise<RowOutcome> {
  const eventId = event && found.get(calendarKey(guildId, calendarNumber))?.get(event.id);
  if (event !== undefined && eventId === undefined) return skippedRow(place, "NO_EVENT");
  // The midnight of an all-day occurrence depends on a time zone that the id does not have.
  if (event?.original?.includes("T") === false) return skippedRow(place, "OCCURRENCE");
  if (isDryRun) return { ...place, outcome: "imported", ...changesOf(changes) };
  const body = {
    guild_id: guildId,
    ...(event === undefined ? {} : { event_id: idOf(event, eventId as string) }),
    ...fields,
  };
  const response = await requests.post("/v1/announcement/create", body, `discal-${guildId}-${id}`);
  // An earlier run has created it, in another state of the export, and its report is lost.
  if (response.body["code"] === "IDEMPOTENCY_KEY_REUSED") return { ...place, outcome: "unchanged" };
  if (response.status !== 200) return refusedRow(place, response);
  const warnings = (response.body["warnings"] as { readonly message: string }[] | undefined) ?? [];
  const warned = warnings.flatMap(({ message }) => changesOf(["WARNING"], `: ${message}`).changes ?? []);
  const all = [...(changesOf(changes).changes ?? []), ...warned];
  return {
    ...place,
    outcome: "imported",
    id: String(response.body["id"]),
    ...(all.length === 0 ? {} : { changes: all }),
  };
}

/** The id of an occurrence has the same form in both programs (D12). */
function idOf({ original }: ReferredEvent, eventId: string): string {
  return original === undefined ? eventId : `${eventId}_${original}`;
}

/** Finds the events of announcements by the VEVENTs of their calendars: a dry run of their import has their ids. */
async function findEvents(
  { folder, requests, isDryRun }: ImportRun,
  batch: readonly AnnouncementRow[],
): Promise<FoundEvents> {
  const wanted = new Map<string, { readonly of: MappedAnnouncement; readonly ids: Set<string> }>();
  for (const { mapped } of batch) {
    if (mapped.event === undefined) continue;
    const key = calendarKey(mapped.guildId, mapped.calendarNumber);
    const entry = wanted.get(key) ?? { of: mapped, ids: new Set<string>() };
    wanted.set(key, entry);
    entry.ids.add(mapped.event.id);
  }
  const found = new Map<string, ReadonlyMap<string, string>>();
  for (const [key, { of, ids }] of wanted) {
    const text = (await folder.calendar(of.guildId, of.calendarNumber))?.text;
    if (text === undefined) continue;
    if (isDryRun) {
      const present = [...eventIdsIn(text)].filter((id) => ids.has(id));
      found.set(key, new Map(present.map((id) => [id, id])));
      continue;
    }
    const { body, idsByLine } = onlyEvents(text, ids);
    const query = { guild_id: of.guildId, calendar_number: String(of.calendarNumber), dry_run: "true", ids: "true" };
    const response = await requests.importCalendar(query, body);
    const entries = (response.body["ids"] as { readonly line: number; readonly event_id: string }[] | undefined) ?? [];
    found.set(key, new Map(entries.map(({ line, event_id }) => [idsByLine.get(line) ?? "", event_id])));
  }
  return found;
}
