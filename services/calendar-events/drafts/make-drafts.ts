import { type DraftChange, draftEventId, writeParams } from "../../contracts/draft-changes.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { DraftedReference, DraftReference, RefusedDraft } from "../../contracts/owner-drafts.contract.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import { revisionMismatch } from "../../contracts/revision.ts";
import { changeCalendar } from "../domain/calendar/calendar.ts";
import { idOf } from "../domain/event/effective-occurrence.ts";
import { eventResolver } from "../event-resolver.ts";
import { eventWrites } from "../event-writes.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import { type DraftCalendars, draftCalendars } from "./draft-calendars.ts";
import { type DraftBase, type DraftStore, draftStore } from "./draft-store.ts";

/** A guild's events and calendars after changes that are stored nowhere. */
export interface MadeDrafts {
  readonly store: DraftStore;
  readonly calendars: DraftCalendars;
  readonly references: readonly DraftedReference[];
}

export interface DraftsToMake {
  readonly guildId: GuildId;
  readonly changes: readonly DraftChange[];
  readonly now: EpochMs;
  readonly maxCalendars: readonly number[];
  readonly references?: readonly DraftReference[];
}

/**
 * Makes the changes of events and calendars one after the other (D58). They are decided by the same writes as those of clients;
 * only the stores differ. Other changes are skipped.
 */
export async function makeDrafts(
  base: {
    readonly store: DraftBase;
    readonly calendars: Pick<CalendarsStore, "find" | "list">;
    readonly maxEvents: number;
    /** The refusal of a write of events to a calendar that follows an address (D55). */
    readonly followedRefusal: (calendar: CalendarReference) => Promise<Refusal | undefined>;
  },
  { guildId, changes, now, maxCalendars, references = [] }: DraftsToMake,
): Promise<MadeDrafts | RefusedDraft> {
  const store = draftStore(base.store, base.maxEvents, now);
  const calendars = draftCalendars(base.calendars, now);
  const events = eventResolver(store, calendars);
  const found: DraftedReference[] = [];
  for (const [at, change] of changes.entries()) {
    for (const reference of references.filter((each) => each.at === at)) {
      const limit = maxCalendars[at] ?? 1;
      found.push({ ...reference, found: await findEvent(reference.eventId, limit) });
    }
    const refusal = await make(at, change);
    if (isRefusal(refusal)) return { refused: { at, refusal } };
  }
  return { store, calendars, references: found };

  async function findEvent(id: string, limit: number): Promise<DraftedReference["found"]> {
    const resolved = await events.find(guildId, id);
    if (resolved === undefined || !isAllowed(resolved.event.calendarNumber, limit)) return null;
    const { event, occurrence } = resolved;
    return occurrence === undefined
      ? { eventId: event.id, recurs: event.recurring !== undefined }
      : { eventId: idOf(occurrence), recurs: occurrence.ruleOccurrence !== undefined };
  }

  async function make(at: number, change: DraftChange): Promise<unknown> {
    if (!("calendarNumber" in change)) return undefined;
    if (!isAllowed(change.calendarNumber, maxCalendars[at] ?? 1)) return refuse("CALENDAR_NOT_FOUND");
    const { calendarNumber } = change;
    const followed =
      change.action === "UPDATE_CALENDAR" ? undefined : await base.followedRefusal({ guildId, calendarNumber });
    if (followed !== undefined) return followed;
    const writes = eventWrites(store, calendars, events, () => draftEventId(at));
    switch (change.action) {
      case "CREATE_EVENT":
        return writes.create(writeParams<"CREATE_EVENT">(guildId, change));
      case "UPDATE_EVENT":
        return writes.update(writeParams<"UPDATE_EVENT">(guildId, change));
      case "DELETE_EVENT": {
        const { announcements: _, ...params } = writeParams<"DELETE_EVENT">(guildId, change);
        return writes.remove(params);
      }
      case "UPDATE_CALENDAR":
        return updateCalendar(writeParams<"UPDATE_CALENDAR">(guildId, change));
    }
  }

  async function updateCalendar(params: ReturnType<typeof writeParams<"UPDATE_CALENDAR">>): Promise<boolean | Refusal> {
    const stored = await calendars.find(guildId, params.calendarNumber);
    return revisionMismatch(stored.revision, params.ifRevision) ?? calendars.replace(changeCalendar(stored, params));
  }
}

/** Whether a guild with this number of calendars may have the calendar (D20). */
export function isAllowed(calendarNumber: number, maxCalendars: number): boolean {
  return calendarNumber <= Math.max(1, maxCalendars);
}
