import { type Former, formerSince, storedFields } from "../../mixins/former-records.ts";
import type { Readable } from "../../mixins/short-reads.ts";
import type { Color, Recurrence } from "../contracts/calendar-events.contract.ts";
import type { EpochMs, EventId, GuildId } from "../contracts/ids.ts";
import type { Anchor } from "./domain/calendar.ts";
import type { StoredEvent } from "./domain/event.ts";

/** When and in which colour an event was before it was moved, recoloured or removed. */
export interface FormerFields extends Former {
  readonly calendarNumber: number;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly color: Color;
  readonly recurrence?: Recurrence;
  readonly anchor?: Anchor;
  readonly hasOverrides?: boolean;
  readonly scheduledAt: Date;
  readonly coloredAt: Date;
}

/** An event as it was until then, without its texts. */
export interface FormerEvent {
  readonly event: StoredEvent;
  readonly until: EpochMs;
}

/** Computes `former` from the stored row, in the update that replaces it. */
export const BECOMES_FORMER = {
  former: storedFields(
    "calendarNumber",
    "startsAt",
    "endsAt",
    "color",
    "recurrence",
    "anchor",
    "hasOverrides",
    "scheduledAt",
    "coloredAt",
  ),
} as const;

/**
 * The guild's events that were moved, recoloured or removed after an instant, as they were before the last such change.
 * Left out are series of which single occurrences had been changed: what those had of their own is gone with them.
 */
export async function formerEvents(model: Readable, guildId: GuildId, after: EpochMs): Promise<FormerEvent[]> {
  const records = await formerSince<FormerFields>(model, guildId, after);
  return records
    .filter(({ former }) => former.hasOverrides !== true)
    .map(({ _id, former }) => ({ event: eventIn(_id as EventId, guildId, former), until: former.until.getTime() }));
}

function eventIn(id: EventId, guildId: GuildId, former: FormerFields): StoredEvent {
  const { recurrence, anchor, hasOverrides: _, until: __, scheduledAt, coloredAt, ...placement } = former;
  const stamps = { scheduledAt: scheduledAt.getTime(), coloredAt: coloredAt.getTime() };
  const event = { id, guildId, revision: 0, ...placement, ...stamps };
  if (recurrence === undefined || anchor === undefined) return event;
  return { ...event, recurring: { recurrence, anchor, hasOverrides: false } };
}
