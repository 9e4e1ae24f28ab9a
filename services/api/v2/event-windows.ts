import { listEvents, type WindowParams } from "../../contracts/calendar-events.contract.ts";
import { searchEvents, type SearchEventsParams } from "../../contracts/event-pages.contract.ts";
import { epochMs, integer, optional } from "../../contracts/field-rules.ts";
import type { FieldProblem } from "../../contracts/field-problem.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { RequestMapping } from "../route.ts";

type Calendar = Pick<WindowParams, "guildId" | "calendarNumber">;
/** One of the three forms of a window in a request (api.md 4.4, D17), with its conversion to the window of the action. */
type WindowRequest<More = unknown> = RequestMapping<Calendar & { readonly startsAt: EpochMs } & More, WindowParams>;

const DAY_MS = 86_400_000;

const { from: _from, until: _until, ...calendar } = listEvents.params;

/** 24 hours from the start. */
export const dateWindow: WindowRequest = {
  shape: { params: { ...calendar, startsAt: epochMs } },
  toParams: ({ startsAt, ...rest }) => ({ ...rest, from: startsAt, until: startsAt + DAY_MS }),
  wireNames: { from: "epoch_start", until: "epoch_start" },
};

/** 1 … 31 times 24 hours from the start. */
export const monthWindow: WindowRequest<{ readonly days: number }> = {
  shape: { params: { ...calendar, days: integer(1, 31), startsAt: epochMs } },
  toParams: ({ startsAt, days, ...rest }) => ({ ...rest, from: startsAt, until: startsAt + days * DAY_MS }),
  wireNames: { from: "epoch_start", until: "days_in_month" },
};

/** The problem of a range that ends before it begins. */
function rangeProblems({ startsAt, endsAt }: { startsAt?: unknown; endsAt?: unknown }): FieldProblem[] {
  if (typeof startsAt !== "number" || typeof endsAt !== "number" || endsAt >= startsAt) return [];
  return [{ field: "endsAt", code: "OUT_OF_RANGE", message: "must not be before epoch_start" }];
}

/** From the first to the last millisecond, both included. */
export const rangeWindow: WindowRequest<{ readonly endsAt: EpochMs }> = {
  shape: {
    params: { ...calendar, startsAt: epochMs, endsAt: epochMs },
    crossFieldProblems: rangeProblems,
  },
  toParams: ({ startsAt, endsAt, ...rest }) => ({ ...rest, from: startsAt, until: endsAt + 1 }),
  wireNames: { from: "epoch_start", until: "epoch_end" },
};

/** A range of which one end or both may be absent. */
type SearchRange = { readonly startsAt?: EpochMs; readonly endsAt?: EpochMs };

const { from: _searchFrom, until: _searchUntil, ...search } = searchEvents.params;

export const searchRange: RequestMapping<Omit<SearchEventsParams, "from" | "until"> & SearchRange, SearchEventsParams> =
  {
    shape: {
      params: { ...search, startsAt: optional(epochMs), endsAt: optional(epochMs) },
      crossFieldProblems: rangeProblems,
    },
    toParams: ({ startsAt, endsAt, ...rest }) => ({
      ...rest,
      ...(startsAt === undefined ? {} : { from: startsAt }),
      ...(endsAt === undefined ? {} : { until: endsAt + 1 }),
    }),
    wireNames: { from: "epoch_start", until: "epoch_end" },
  };
