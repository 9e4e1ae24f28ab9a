import type { ScannedEvent } from "../../../mixins/icalendar/event-lines.ts";
import type { ScannedCalendar } from "../../../mixins/icalendar/calendar-scanner.ts";
import type { EpochMs, EventId } from "../../contracts/ids.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import { seriesOf } from "../domain/event/event.ts";
import { type ContentIndex, contentIndex, isGone } from "../domain/follow/content-index.ts";
import { occurrenceOf } from "../domain/import/imported-instant.ts";
import type { OnWritten } from "../import/event-import.ts";
import { readImport } from "../import/read-import.ts";
import { changedSeries, withOverrides } from "../series-revision.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";
import type { EventKey, ReadEventKeys } from "../store/event-keys.store.ts";

/** The calendar whose other events are deleted. */
export interface RemovalTarget {
  readonly store: CalendarEventsStore;
  readonly readKeys: ReadEventKeys;
  readonly calendar: Calendar;
  readonly followedAt: EpochMs;
  /** Runs a write with a deadline. */
  readonly write: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly onWritten: OnWritten["event"];
}

/** Events in one page, and deletes at the same time. Between two pages the reader asks whether it may go on. */
const PAGE = 50;

/**
 * Deletes the events that a body does not have, and the changes of occurrences that it does not have. Resolves with the number
 * of events that were deleted; undefined if it was not completed.
 */
export async function removeOthers(
  target: RemovalTarget,
  scanned: ScannedCalendar,
  mayContinue: () => Promise<boolean>,
): Promise<number | undefined> {
  const unreadable = new Set(scanned.unreadable.flatMap(({ uid }) => uid ?? []));
  const byUid = Map.groupBy(scanned.events, ({ uid }) => uid);
  const body = { index: contentIndex([...byUid.keys(), ...unreadable]), byUid, unreadable, zones: scanned.zones };
  let removed = 0;
  for (let after = ""; ;) {
    const keys = await target.readKeys(target.calendar, after, PAGE);
    const last = keys.at(-1);
    if (last === undefined) return removed;
    if (!(await mayContinue())) return undefined;
    const settled = await Promise.all(keys.map((key) => settle(target, key, body)));
    if (settled.includes("conflict")) return undefined;
    removed += settled.filter((outcome) => outcome === "removed").length;
    after = last.id;
  }
}

type Settled = "removed" | "kept" | "conflict";

/** The VEVENTs of a body. */
interface Body {
  readonly index: ContentIndex;
  readonly byUid: ReadonlyMap<string, readonly ScannedEvent[]>;
  /** UIDs of those that cannot be read. */
  readonly unreadable: ReadonlySet<string>;
  readonly zones: ScannedCalendar["zones"];
}

async function settle(target: RemovalTarget, key: EventKey, body: Body): Promise<Settled> {
  const { store, calendar, write, onWritten } = target;
  if (isGone(key, body.index, target.followedAt)) {
    const [event] = await store.findAll(target.calendar.guildId, [key.id]);
    if (event === undefined) return "kept";
    if (!(await write(() => store.remove(event)))) return "conflict";
    onWritten({ ...event, revision: event.revision + 1 });
    return "removed";
  }
  if (!key.hasOverrides || key.uid === undefined || body.unreadable.has(key.uid)) return "kept";
  const stays = await originalsOf(target, key.id, body.byUid.get(key.uid) ?? [], body.zones);
  const starts = stays === undefined ? [] : await store.overriddenStarts(calendar.guildId, key.id);
  const kept = starts.filter((start) => stays?.has(start));
  const stored = kept.length === starts.length ? undefined : (await store.find(calendar.guildId, key.id))?.event;
  if (stored === undefined) return "kept";
  const next = withOverrides(changedSeries(stored), kept.length > 0);
  const change = { event: next, rescheduled: false, recolored: false, isShortened: true } as const;
  if (!(await write(() => store.replace(change, kept, true)))) return "conflict";
  onWritten(next);
  return "kept";
}

/** The original starts that VEVENTs of a series change or cancel; undefined if one is unreadable, or for a single event. */
async function originalsOf(
  { store, calendar }: Pick<RemovalTarget, "store" | "calendar">,
  id: EventId,
  events: readonly ScannedEvent[],
  zones: ScannedCalendar["zones"],
): Promise<ReadonlySet<EpochMs> | undefined> {
  const [stored] = await store.findAll(calendar.guildId, [id]);
  const series = stored && seriesOf(stored, calendar);
  if (series === undefined) return undefined;
  const named = [...new Set(events.flatMap((event) => event.zones))].flatMap((tzid) => zones.get(tzid) ?? []);
  const read = await readImport({ events: events.map(({ text }) => text), zones: named }, calendar);
  const readable = read.filter((event) => typeof event === "object");
  if (readable.length < read.length) return undefined;
  const keys = readable.flatMap(({ recurrenceId, dates }) => recurrenceId ?? dates?.exDates ?? []);
  return new Set(keys.flatMap((key) => occurrenceOf(series, key)?.original ?? []));
}
