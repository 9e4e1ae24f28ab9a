import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import type { Recurrence } from "../../contracts/recurrence.ts";
import type { Anchor } from "../domain/calendar/calendar.ts";
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

export const recurringPaths = {
  recurrence: { type: recurrencePaths, _id: false },
  anchor: anchorPath,
  hasOverrides: Boolean,
  lastDay: Number,
} satisfies Record<keyof Recurring, unknown>;

/** Undefined for a single event. */
export function recurringOf({
  recurrence,
  anchor,
  hasOverrides = false,
  lastDay,
}: RecurringFields): Recurring | undefined {
  if (recurrence === undefined || anchor === undefined) return undefined;
  return complete<Recurring>()({ recurrence, anchor, hasOverrides, ...definedFields({ lastDay }) });
}
