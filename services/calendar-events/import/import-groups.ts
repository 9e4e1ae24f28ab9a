import type { ImportEventsParams, SkipReason } from "../../contracts/event-import.contract.ts";
import { EVENT_ID, type EventId } from "../../contracts/ids.ts";
import type { StoredEvent } from "../domain/event/event.ts";
import { parseEventId } from "../domain/event/occurrence-id.ts";
import type { ImportedEvent } from "../domain/import/imported-event.ts";
import type { ImportedGroup, ImportedMember } from "./import-series.ts";
import type { ImportTarget } from "./import-target.ts";

/**
 * The VEVENTs by their events. A UID stands for the event that was imported with it, or, as in our own feed, for the event
 * of this calendar with that id; the id of an occurrence stands for the occurrence.
 */
export async function groupsOf(
  { store, calendar }: Pick<ImportTarget, "store" | "calendar">,
  { ofSeries }: Pick<ImportEventsParams, "ofSeries">,
  read: readonly (ImportedEvent | SkipReason)[],
): Promise<ImportedGroup[]> {
  const { guildId, calendarNumber } = calendar;
  const events = read.flatMap((event, at) => (typeof event === "string" ? [] : [{ event, at }]));
  const uids = [...new Set(events.map(({ event }) => event.uid))];
  if (uids.length === 0) return [];
  const imported = await store.findByUids(guildId, calendarNumber, uids);
  const byUid = new Map(imported.filter((event) => !isLaterPart(event)).map((event) => [event.uid, event]));
  const ownIds = [...new Set(uids.filter((uid) => !byUid.has(uid)).flatMap((uid) => ownIdIn(uid) ?? []))];
  const own = ownIds.length === 0 ? [] : await store.findAll(guildId, ownIds);
  const missing = ownIds.filter((id) => !own.some((event) => event.id === id));
  const followers = missing.length === 0 ? [] : await store.following(guildId, missing);
  const isHere = (event: StoredEvent) => event.guildId === guildId && event.calendarNumber === calendarNumber;
  const byId = new Map(own.filter(isHere).map((event) => [event.id as string, event]));
  // Texts that name a series of which only later parts are left.
  const followed = new Set<string | undefined>([
    ...imported.filter(isLaterPart).map(({ uid }) => uid),
    ...followers.filter(isHere).flatMap(({ follows = [] }) => follows),
  ]);
  const groups = new Map<string, Omit<ImportedGroup, "members"> & { members: ImportedMember[] }>();
  for (const { event, at } of events) {
    const mine = byUid.has(event.uid) ? undefined : byId.get(ownIdIn(event.uid) ?? "");
    const key = mine === undefined ? `uid ${event.uid}` : mine.id;
    const stored = mine ?? byUid.get(event.uid);
    const isFollowed = stored === undefined && (followed.has(event.uid) || followed.has(ownIdIn(event.uid)));
    const group = groups.get(key) ?? { members: [], stored, isOwn: mine !== undefined, isFollowed };
    groups.set(key, group);
    const original = mine === undefined ? undefined : parseEventId(event.uid)?.original;
    const occurrence = event.recurrenceId ?? (original === undefined ? undefined : { original });
    const isOfSeries = ofSeries.includes(at);
    group.members.push({
      at,
      imported: event,
      occurrence,
      isOfSeries,
      isPart: mine !== undefined && isPartId(event.uid),
    });
  }
  const eventsFirst = (one: ImportedMember, other: ImportedMember) =>
    Number(one.occurrence !== undefined) - Number(other.occurrence !== undefined);
  for (const group of groups.values()) group.members.sort(eventsFirst);
  return [...groups.values()];
}

/** Whether the event was split from another series (D51). */
function isLaterPart({ follows = [] }: StoredEvent): boolean {
  return follows.length > 0;
}

/** The id of the event in a UID of our own feed: an event, an occurrence, or a part of a series in a former zone. */
function ownIdIn(uid: string): EventId | undefined {
  const id = uid.split(/[_-]/, 1)[0] ?? "";
  const isOwn = EVENT_ID.test(id) && (uid === id || isPartId(uid) || parseEventId(uid) !== undefined);
  return isOwn ? (id as EventId) : undefined;
}

/** Whether a feed has given the UID to a part of a series in a former zone of its calendar: `<event id>-<number>`. */
function isPartId(uid: string): boolean {
  return /^[^_-]+-[0-9]+$/.test(uid);
}
