import type { Model } from "mongoose";
import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { type FormerState, findFormerStatesAfter, storedStateExpression } from "../../../mixins/mongo/former-state.ts";
import type { Color, EventText } from "../../contracts/calendar-events.contract.ts";
import type { Changed } from "../../contracts/contract.ts";
import type { AllDayFields } from "../../contracts/event-times.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { StoredEvent } from "../domain/event/event.ts";
import type { Days } from "../domain/calendar/days.ts";
import { allDayOf, daysPath, type RecurringFields, recurringOf, recurringPaths } from "./recurring-fields.ts";

/** The times, rule and colour of an event before it was moved, recoloured or removed. */
export interface FormerEventFields extends FormerState, RecurringFields {
  readonly calendarNumber: number;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly days?: Days;
  readonly follows?: readonly EventId[];
  readonly color: Color;
  readonly scheduledAt: Date;
  readonly coloredAt: Date;
}

/** The same for one occurrence of a series, stored in its override. */
interface FormerOccurrenceFields extends FormerState, FormerTimes {
  readonly scheduledSince: Date;
  readonly coloredSince: Date;
}

type FormerTimes = Pick<
  Occurrence,
  "eventId" | "follows" | "calendarNumber" | "startsAt" | "endsAt" | "color" | "isFirst"
>;

/** The former state of an event or of one occurrence, without texts. `until` is the time of the change. */
export type FormerEvent = { readonly until: EpochMs } & (
  | { readonly event: StoredEvent; readonly occurrence?: undefined }
  | { readonly event?: undefined; readonly occurrence: Omit<Occurrence, "timezone"> }
);

/** Fields that no former state has. */
type PresentFields = EventText | keyof Changed;

const formerEventPaths = {
  guildId: String,
  until: Date,
  calendarNumber: Number,
  startsAt: Number,
  endsAt: Number,
  color: String,
  days: daysPath,
  follows: { type: [String], default: undefined },
  ...recurringPaths,
  scheduledAt: Date,
  coloredAt: Date,
} satisfies Record<keyof FormerEventFields, unknown>;

const formerOccurrencePaths = {
  guildId: String,
  until: Date,
  eventId: String,
  follows: { type: [String], default: undefined },
  calendarNumber: Number,
  startsAt: Number,
  endsAt: Number,
  color: String,
  isFirst: Boolean,
  scheduledSince: Date,
  coloredSince: Date,
} satisfies Record<keyof FormerOccurrenceFields, unknown>;

/** The paths of `former` in the schema. */
export const formerPaths = { ...formerEventPaths, ...formerOccurrencePaths };

/** The expression for `former`, computed from the stored row in the update that replaces it. */
export const FORMER_EVENT = { former: storedStateExpression(...Object.keys(formerEventPaths)) } as const;

/** The expression for `former` of an occurrence that gets an override. */
export function formerOccurrence(guildId: GuildId, before: Occurrence): { readonly former: object } {
  const { eventId, follows, calendarNumber, startsAt, endsAt, color, isFirst, scheduledAt, coloredAt } = before;
  const former = complete<Omit<FormerOccurrenceFields, "until">>()({
    guildId,
    eventId,
    ...definedFields({ follows }),
    calendarNumber,
    startsAt,
    endsAt,
    color,
    isFirst,
    scheduledSince: new Date(scheduledAt),
    coloredSince: new Date(coloredAt),
  });
  return { former: { $mergeObjects: [{ $literal: former }, { until: "$$NOW" }] } };
}

/**
 * Reads the former states of the guild's events and occurrences that were moved, recoloured or removed after an
 * instant. It leaves out series that had overrides: those were removed with the former state.
 */
export async function formerEvents<Row>(model: Model<Row>, guildId: GuildId, after: EpochMs): Promise<FormerEvent[]> {
  const records = await findFormerStatesAfter<Row, FormerEventFields | FormerOccurrenceFields>(model, guildId, after);
  return records.flatMap(({ _id, former }): FormerEvent[] => {
    const until = former.until.getTime();
    if ("eventId" in former) return [{ occurrence: occurrenceIn(_id as OccurrenceId, former), until }];
    return former.hasOverrides === true ? [] : [{ event: eventIn(_id as EventId, guildId, former), until }];
  });
}

function occurrenceIn(
  occurrenceId: OccurrenceId,
  { guildId: _, until: __, scheduledSince, coloredSince, ...ruleOccurrence }: FormerOccurrenceFields,
): Omit<Occurrence, "timezone"> {
  return complete<Omit<Occurrence, "timezone" | "until" | keyof AllDayFields | PresentFields>>()({
    ...ruleOccurrence,
    occurrenceId,
    recurs: true,
    scheduledAt: scheduledSince.getTime(),
    coloredAt: coloredSince.getTime(),
  });
}

function eventIn(id: EventId, guildId: GuildId, former: FormerEventFields): StoredEvent {
  const { calendarNumber, startsAt, endsAt, color, follows, scheduledAt, coloredAt } = former;
  return complete<Omit<StoredEvent, PresentFields>>()({
    id,
    guildId,
    revision: 0,
    calendarNumber,
    startsAt,
    endsAt,
    color,
    ...definedFields({ recurring: recurringOf(former), allDay: allDayOf(former), follows }),
    scheduledAt: scheduledAt.getTime(),
    coloredAt: coloredAt.getTime(),
  });
}
