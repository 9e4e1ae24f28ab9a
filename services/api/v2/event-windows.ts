import { listEvents, type WindowParams } from "../../contracts/calendar-events.contract.ts";
import { epochMs, integer } from "../../contracts/field-rules.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { RequestMapping } from "../route.ts";

/** The three forms of a window in a request (api.md 4.4, D17). Each is mapped to the window of the action. */
type Calendar = Pick<WindowParams, "guildId" | "calendarNumber">;
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

/** From the first to the last millisecond, both included. */
export const rangeWindow: WindowRequest<{ readonly endsAt: EpochMs }> = {
  shape: {
    params: { ...calendar, startsAt: epochMs, endsAt: epochMs },
    crossFieldProblems({ startsAt, endsAt }) {
      if (typeof startsAt !== "number" || typeof endsAt !== "number" || endsAt >= startsAt) return [];
      return [{ field: "endsAt", code: "OUT_OF_RANGE", message: "must not be before epoch_start" }];
    },
  },
  toParams: ({ startsAt, endsAt, ...rest }) => ({ ...rest, from: startsAt, until: endsAt + 1 }),
  wireNames: { from: "epoch_start", until: "epoch_end" },
};
