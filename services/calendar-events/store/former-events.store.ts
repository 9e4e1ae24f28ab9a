import type { Model } from "mongoose";
import { type FormerState, formerStatesSince, storedStateExpression } from "../../../mixins/mongo/former-state.ts";
import type { Color } from "../../contracts/calendar-events.contract.ts";
import type { Recurrence } from "../../contracts/recurrence.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { Anchor } from "../domain/calendar/calendar.ts";
import type { StoredEvent } from "../domain/event/event.ts";

/** The times, rule and colour of an event before it was moved, recoloured or removed. */
export interface FormerEventFields extends FormerState {
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

/** The same for one occurrence of a series, stored in its override. */
export interface FormerOccurrenceFields extends FormerState, FormerTimes {
  readonly scheduledSince: Date;
  readonly coloredSince: Date;
}

type FormerTimes = Pick<Occurrence, "eventId" | "calendarNumber" | "startsAt" | "endsAt" | "color" | "isFirst">;

/** The former state of an event or of one occurrence, without texts. `until` is the time of the change. */
export type FormerEvent = { readonly until: EpochMs } & (
  | { readonly event: StoredEvent; readonly occurrence?: undefined }
  | { readonly event?: undefined; readonly occurrence: Omit<Occurrence, "timezone"> }
);

/** The expression for `former`, computed from the stored row in the update that replaces it. */
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

/** The expression for `former` of an occurrence that gets an override. */
export function formerOccurrence(guildId: GuildId, before: Occurrence): { readonly former: object } {
  const { eventId, calendarNumber, startsAt, endsAt, color, isFirst, scheduledAt, coloredAt } = before;
  const times = { scheduledSince: new Date(scheduledAt), coloredSince: new Date(coloredAt) };
  const ruleOccurrence = { guildId, eventId, calendarNumber, startsAt, endsAt, color, isFirst, ...times };
  return { former: { $mergeObjects: [{ $literal: ruleOccurrence }, { until: "$$NOW" }] } };
}

/**
 * Reads the former states of the guild's events and occurrences that were moved, recoloured or removed after an
 * instant. It leaves out series that had overrides: those were removed with the former state.
 */
export async function formerEvents<Row>(model: Model<Row>, guildId: GuildId, after: EpochMs): Promise<FormerEvent[]> {
  const records = await formerStatesSince<Row, FormerEventFields | FormerOccurrenceFields>(model, guildId, after);
  return records.flatMap(({ _id, former }): FormerEvent[] => {
    const until = former.until.getTime();
    if ("eventId" in former) return [{ occurrence: occurrenceIn(_id as OccurrenceId, former), until }];
    return former.hasOverrides === true ? [] : [{ event: eventIn(_id as EventId, guildId, former), until }];
  });
}

function occurrenceIn(occurrenceId: OccurrenceId, former: FormerOccurrenceFields): Omit<Occurrence, "timezone"> {
  const { guildId: _, until: __, scheduledSince, coloredSince, ...ruleOccurrence } = former;
  const times = { scheduledAt: scheduledSince.getTime(), coloredAt: coloredSince.getTime() };
  return { ...ruleOccurrence, ...times, occurrenceId, recurs: true };
}

function eventIn(id: EventId, guildId: GuildId, former: FormerEventFields): StoredEvent {
  const { recurrence, anchor, lastDay, calendarNumber, startsAt, endsAt, color, scheduledAt, coloredAt } = former;
  const times = { scheduledAt: scheduledAt.getTime(), coloredAt: coloredAt.getTime() };
  const event = { id, guildId, revision: 0, calendarNumber, startsAt, endsAt, color, ...times };
  if (recurrence === undefined || anchor === undefined) return event;
  const ofLastDay = lastDay === undefined ? {} : { lastDay };
  return { ...event, recurring: { recurrence, anchor, hasOverrides: false, ...ofLastDay } };
}
