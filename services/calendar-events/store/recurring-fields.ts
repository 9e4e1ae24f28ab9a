import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import type { Recurrence } from "../../contracts/recurrence.ts";
import type { Anchor } from "../domain/calendar/calendar.ts";
import type { AllDay, Days } from "../domain/calendar/days.ts";
import type { Recurring } from "../domain/event/event.ts";

/** The fields of `Recurring` in a row; a single event has none of them. */
export type RecurringFields = Partial<Recurring>;

const numbers = { type: [Number], default: undefined };
const recurrencePaths = {
  frequency: String,
  count: Number,
  interval: Number,
  byDay: { type: [String], default: undefined },
  byMonthDay: numbers,
  byMonth: numbers,
  byHour: numbers,
  byMinute: numbers,
  bySecond: numbers,
  bySetPos: numbers,
  until: Number,
  weekStart: String,
  exDates: numbers,
  rDates: numbers,
} satisfies Record<keyof Recurrence, unknown>;

const anchorPath = {
  type: { timezone: String, version: Number } satisfies Record<keyof Anchor, unknown>,
  _id: false,
};

/** The dates of an all-day event, or of an occurrence that was moved to them. */
export const daysPath = {
  type: { startDay: Number, endDay: Number } satisfies Record<keyof Days, unknown>,
  _id: false,
};

export const recurringPaths = {
  recurrence: { type: recurrencePaths, _id: false },
  anchor: anchorPath,
  hasOverrides: Boolean,
  lastWall: Number,
  startWall: Number,
} satisfies Record<keyof Recurring, unknown>;

/** Undefined for a single event. */
export function recurringOf({
  recurrence,
  anchor,
  hasOverrides = false,
  lastWall,
  startWall,
}: RecurringFields): Recurring | undefined {
  if (recurrence === undefined || anchor === undefined) return undefined;
  return complete<Recurring>()({
    recurrence,
    anchor,
    hasOverrides,
    ...definedFields({ lastWall, startWall }),
  });
}

/** The dates of a row; undefined for an event that is not all-day. */
export function allDayOf({ days, anchor }: { readonly days?: Days; readonly anchor?: Anchor }): AllDay | undefined {
  return days === undefined || anchor === undefined ? undefined : { ...days, anchor };
}
