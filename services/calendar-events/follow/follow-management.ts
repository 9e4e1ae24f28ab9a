import type { CalendarFollowView, FollowCalendarParams } from "../../contracts/calendar-follows.contract.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { WriteCalendar } from "../calendar-writes.ts";
import {
  addressOf,
  disabledCalendar,
  followedCalendar,
  followView,
  unfollowedCalendar,
} from "../domain/follow/follow.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import type { ReadEventKeys } from "../store/event-keys.store.ts";
import type { FollowReadingsStore } from "../store/follow-readings.store.ts";

/** Sets the addresses of calendars (D55). Writes resolve with the revision of the calendar. */
export interface FollowManagement {
  follow(params: FollowCalendarParams): Promise<number | Refusal>;
  unfollow(of: CalendarReference): Promise<number | Refusal>;
  get(of: CalendarReference, showsUrl: boolean): Promise<CalendarFollowView | Refusal>;
  /** Disables a calendar; undefined if it does not follow the address any more that was set at `followedAt`. */
  disable(of: CalendarReference, followedAt: EpochMs): Promise<number | undefined>;
}

interface ManagementParts {
  readonly calendars: Pick<CalendarsStore, "find">;
  readonly readings: Pick<FollowReadingsStore, "find">;
  readonly readKeys: ReadEventKeys;
  readonly clock: { now(): EpochMs };
  readonly isAllowedUrl: (url: string) => boolean;
  readonly write: WriteCalendar;
}

const FORBIDDEN_URL = refuse("INVALID_REQUEST", [
  { field: "url", code: "NOT_ALLOWED", message: "must be https or webcal, and not a private address" },
]);

export function followManagement({
  calendars,
  readings,
  readKeys,
  clock,
  isAllowedUrl,
  write,
}: ManagementParts): FollowManagement {
  return {
    follow({ url, replace = false, ...of }) {
      if (!isAllowedUrl(addressOf(url))) return Promise.resolve(FORBIDDEN_URL);
      return write(of, async (stored) => {
        const mayReplace = replace || stored.follow !== undefined;
        if (!mayReplace && (await readKeys(of, "", 1)).length > 0) return refuse("CALENDAR_NOT_EMPTY");
        return followedCalendar(stored, url, clock.now());
      });
    },

    unfollow: (of) => write(of, unfollowedCalendar),

    async get(of, showsUrl) {
      const [calendar, reading] = await Promise.all([calendars.find(of.guildId, of.calendarNumber), readings.find(of)]);
      return followView(calendar, reading, showsUrl) ?? refuse("FOLLOW_NOT_FOUND");
    },

    async disable(of, followedAt) {
      const revision = await write(of, (stored) => disabledCalendar(stored, followedAt, clock.now()) ?? GONE);
      return isRefusal(revision) ? undefined : revision;
    },
  };
}

const GONE = refuse("FOLLOW_NOT_FOUND");
