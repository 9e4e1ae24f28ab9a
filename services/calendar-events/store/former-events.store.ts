import type { Model } from "mongoose";
import { type FormerState, formerStatesSince, storedStateExpression } from "../../../mixins/mongo/former-state.ts";
import type { Color } from "../../contracts/calendar-events.contract.ts";
import type { Recurrence } from "../../contracts/recurrence.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { Anchor } from "../domain/calendar/calendar.ts";
import type { StoredEvent } from "../domain/event/event.ts";

/** When and in which colour an event was before it was moved, recoloured or removed. */
export interface FormerFields extends FormerState {
  readonly calendarNumber: number;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly color: Color;
  readonly recurrence?: Recurrence;
  readonly anchor?: Anchor;
  readonly hasOverrides?: boolean;
  readonly lastDay?: number;
  readonly scheduledAt: Date;
  readonly coloredAt: Date;
}

/** The same of one occurrence of a series, stored beside what it has of its own. */
export interface FormerOccurrenceFields extends FormerState, FormerTimes {
  readonly scheduledSince: Date;
  readonly coloredSince: Date;
}

type FormerTimes = Pick<Occurrence, "eventId" | "calendarNumber" | "startsAt" | "endsAt" | "color" | "isFirst">;

/** An event, or one occurrence of a series, as it was until then, without its texts. */
export type FormerEvent = { readonly until: EpochMs } & (
  | { readonly event: StoredEvent; readonly occurrence?: undefined }
  | { readonly event?: undefined; readonly occurrence: Omit<Occurrence, "timezone"> }
);

/** Computes `former` from the stored row, in the update that replaces it. */
export const FORMER_EVENT = {
  former: storedStateExpression(
    "calendarNumber",
    "startsAt",
    "endsAt",
    "color",
    "recurrence",
    "anchor",
    "hasOverrides",
    "lastDay",
    "scheduledAt",
    "coloredAt",
  ),
} as const;

/** Computes `former` of an occurrence that is changed by hand. */
export function formerOccurrence(guildId: GuildId, before: Occurrence): { readonly former: object } {
  const { eventId, calendarNumber, startsAt, endsAt, color, isFirst, scheduledAt, coloredAt } = before;
  const stamps = { scheduledSince: new Date(scheduledAt), coloredSince: new Date(coloredAt) };
  const ruleOccurrence = { guildId, eventId, calendarNumber, startsAt, endsAt, color, isFirst, ...stamps };
  return { former: { $mergeObjects: [{ $literal: ruleOccurrence }, { until: "$$NOW" }] } };
}

/**
 * The guild's events and occurrences that were moved, recoloured or removed after an instant, as they were before the last
 * such change.
 * Left out are series of which single occurrences had been changed: what those had of their own is gone with them.
 */
export async function formerEvents<Row>(model: Model<Row>, guildId: GuildId, after: EpochMs): Promise<FormerEvent[]> {
  const records = await formerStatesSince<Row, FormerFields | FormerOccurrenceFields>(model, guildId, after);
  return records.flatMap(({ _id, former }): FormerEvent[] => {
    const until = former.until.getTime();
    if ("eventId" in former) return [{ occurrence: occurrenceIn(_id as OccurrenceId, former), until }];
    return former.hasOverrides === true ? [] : [{ event: eventIn(_id as EventId, guildId, former), until }];
  });
}

function occurrenceIn(occurrenceId: OccurrenceId, former: FormerOccurrenceFields): Omit<Occurrence, "timezone"> {
  const { guildId: _, until: __, scheduledSince, coloredSince, ...ruleOccurrence } = former;
  const stamps = { scheduledAt: scheduledSince.getTime(), coloredAt: coloredSince.getTime() };
  return { ...ruleOccurrence, ...stamps, occurrenceId, recurs: true };
}

function eventIn(id: EventId, guildId: GuildId, former: FormerFields): StoredEvent {
  const { recurrence, anchor, lastDay, calendarNumber, startsAt, endsAt, color, scheduledAt, coloredAt } = former;
  const stamps = { scheduledAt: scheduledAt.getTime(), coloredAt: coloredAt.getTime() };
  const event = { id, guildId, revision: 0, calendarNumber, startsAt, endsAt, color, ...stamps };
  if (recurrence === undefined || anchor === undefined) return event;
  const ofCount = lastDay === undefined ? {} : { lastDay };
  return { ...event, recurring: { recurrence, anchor, hasOverrides: false, ...ofCount } };
}
