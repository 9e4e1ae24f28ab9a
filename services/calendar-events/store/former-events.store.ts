import { type Model, Schema } from "mongoose";
import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { type FormerState, findFormerStatesAfter, formerStateExpression } from "../../../mixins/mongo/former-state.ts";
import type { Color, EventText } from "../../contracts/calendar-events.contract.ts";
import type { Changed } from "../../contracts/contract.ts";
import type { AllDayFields } from "../../contracts/event-times.ts";
import type { Pause } from "../../contracts/pause.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { StoredEvent } from "../domain/event/event.ts";
import type { Override } from "../domain/event/override.ts";
import type { Days } from "../domain/calendar/days.ts";
import { OVERRIDE_CHANGES, type OverrideChanges, overrideWith } from "./override-fields.ts";
import { allDayOf, daysPath, type RecurringFields, recurringOf, recurringPaths } from "./recurring-fields.ts";

/** Largest number of overrides in a former state, which has 10 kB with them. */
const MAX_OVERRIDES = 100;

/** The times, rule and color of an event before it was moved, recolored or removed. */
export interface FormerEventFields extends FormerState, RecurringFields {
  readonly calendarNumber: number;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly days?: Days;
  readonly follows?: readonly EventId[];
  readonly color: Color;
  readonly scheduledAt: Date;
  readonly coloredAt: Date;
  readonly endSetAt?: Date;
  readonly createdAt?: Date;
}

/** The overrides that a series had then, without texts. */
interface FormerOverrides {
  readonly overrides: readonly OverrideChanges[];
  /** Present if there were more: the original start of the first override that is missing. */
  readonly missingFrom?: EpochMs;
}

/** The same for one occurrence of a series, stored in its override. */
interface FormerOccurrenceFields extends FormerState, FormerTimes {
  readonly scheduledSince: Date;
  readonly coloredSince: Date;
  readonly endSetSince?: Date;
  readonly createdSince?: Date;
  readonly rescheduledSince?: Date;
}

type FormerTimes = Pick<
  Occurrence,
  "eventId" | "follows" | "calendarNumber" | "startsAt" | "endsAt" | "color" | "isFirst"
>;

/**
 * The former state of an event or of one occurrence, without texts. `until` is the time of the change. The occurrences of a
 * series are known up to the original start `missingFrom`.
 */
export type FormerEvent = { readonly until: EpochMs } & (
  | {
      readonly event: StoredEvent;
      readonly overrides: readonly Override[];
      readonly missingFrom?: EpochMs;
      readonly occurrence?: undefined;
    }
  | { readonly event?: undefined; readonly occurrence: Omit<Occurrence, "timezone"> }
);

type FormerSeriesFields = FormerEventFields & Partial<FormerOverrides>;

/** Fields that no former state has. */
type PresentFields = EventText | keyof Changed | keyof Pause | "uid";
/** Fields of an occurrence that come with its texts, or that former occurrences do not need. */
type ShownFields = "calendarName" | "occurrenceNumber" | "eventPausedUntil" | "calendarPausedUntil" | "holidays";

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
  endSetAt: Date,
  createdAt: Date,
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
  endSetSince: Date,
  createdSince: Date,
  rescheduledSince: Date,
} satisfies Record<keyof FormerOccurrenceFields, unknown>;

const formerOverridesPaths = {
  overrides: { type: [Schema.Types.Mixed], default: undefined },
  missingFrom: Number,
} satisfies Record<keyof FormerOverrides, unknown>;

/** The paths of `former` in the schema. */
export const formerPaths = { ...formerEventPaths, ...formerOccurrencePaths, ...formerOverridesPaths };

const NO_OVERRIDES: FormerOverrides = { overrides: [] };

/**
 * The expression for `former`, computed from the stored row in the update that replaces it.
 *
 * @param overrides - Those of a series with changed occurrences.
 */
export function formerEvent(overrides = NO_OVERRIDES): { readonly former: object } {
  const state = formerStateExpression(...Object.keys(formerEventPaths));
  return { former: overrides === NO_OVERRIDES ? state : { $mergeObjects: [state, { $literal: overrides }] } };
}

/** The id of a series, and its guild. */
export type SeriesKey = Pick<StoredEvent, "id" | "guildId">;

/**
 * Reads the overrides of a series for its former state. The state belongs to the revision that the write replaces: a change
 * of an occurrence in between is a new revision, with which the write fails.
 *
 * @param from - An occurrence is left out if its original and its present start are before this instant.
 */
export async function readFormerOverrides<Row>(
  model: Model<Row>,
  { guildId, id: eventId }: SeriesKey,
  from: EpochMs,
): Promise<FormerOverrides> {
  const rows = await model
    .find({ guildId, eventId, $or: [{ original: { $gte: from } }, { startsAt: { $gte: from } }] } as never, {
      ...OVERRIDE_CHANGES,
      _id: 0,
    })
    .sort({ original: 1 })
    .limit(MAX_OVERRIDES + 1)
    .lean<OverrideChanges[]>();
  const missingFrom = rows[MAX_OVERRIDES]?.original;
  return { overrides: rows.slice(0, MAX_OVERRIDES), ...definedFields({ missingFrom }) };
}

/** The expression for `former` of an occurrence that gets an override. */
export function formerOccurrence(guildId: GuildId, before: Occurrence): { readonly former: object } {
  const { eventId, follows, calendarNumber, startsAt, endsAt, color, isFirst } = before;
  const { scheduledAt, coloredAt, endSetAt, createdAt, rescheduledAt } = before;
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
    ...definedFields({
      endSetSince: dateOf(endSetAt),
      createdSince: dateOf(createdAt),
      rescheduledSince: dateOf(rescheduledAt),
    }),
  });
  return { former: { $mergeObjects: [{ $literal: former }, { until: "$$NOW" }] } };
}

function dateOf(at: EpochMs | undefined): Date | undefined {
  return at === undefined ? undefined : new Date(at);
}

/**
 * Reads the former states of the guild's events and occurrences that were moved, recolored or removed after an
 * instant. It leaves out series whose overrides a previous release has not stored.
 */
export async function formerEvents<Row>(model: Model<Row>, guildId: GuildId, after: EpochMs): Promise<FormerEvent[]> {
  const records = await findFormerStatesAfter<Row, FormerSeriesFields | FormerOccurrenceFields>(model, guildId, after);
  return records.flatMap(({ _id, former }): FormerEvent[] => {
    const until = former.until.getTime();
    if ("eventId" in former) return [{ occurrence: occurrenceIn(_id as OccurrenceId, former), until }];
    const { overrides, missingFrom } = former;
    if (former.hasOverrides === true && overrides === undefined) return [];
    const id = _id as EventId;
    const changed = (overrides ?? []).map((override) => overrideWith(id, override));
    return [{ event: eventIn(id, guildId, former), overrides: changed, ...definedFields({ missingFrom }), until }];
  });
}

function occurrenceIn(
  occurrenceId: OccurrenceId,
  {
    guildId: _,
    until: __,
    scheduledSince,
    coloredSince,
    endSetSince,
    createdSince,
    rescheduledSince,
    ...ruleOccurrence
  }: FormerOccurrenceFields,
): Omit<Occurrence, "timezone"> {
  return complete<
    Omit<Occurrence, "timezone" | "until" | "digest" | keyof AllDayFields | PresentFields | ShownFields>
  >()({
    ...ruleOccurrence,
    occurrenceId,
    recurs: true,
    scheduledAt: scheduledSince.getTime(),
    coloredAt: coloredSince.getTime(),
    ...definedFields({
      endSetAt: endSetSince?.getTime(),
      createdAt: createdSince?.getTime(),
      rescheduledAt: rescheduledSince?.getTime(),
    }),
  });
}

function eventIn(id: EventId, guildId: GuildId, former: FormerEventFields): StoredEvent {
  const { calendarNumber, startsAt, endsAt, color, follows, scheduledAt, coloredAt, endSetAt, createdAt } = former;
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
    ...definedFields({ endSetAt: endSetAt?.getTime(), createdAt: createdAt?.getTime() }),
  });
}
