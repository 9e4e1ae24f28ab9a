import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { guildCache } from "../limits/guild-cache.ts";
import type { FollowReadingsStore } from "../store/follow-readings.store.ts";

/** Knows which calendars follow an address, and are read-only (D55). */
export interface FollowedCalendars {
  /** The refusal of a write to the calendar; undefined if it is writable. */
  refusal(of: CalendarReference): Promise<Refusal | undefined>;
  /** Called when this process has changed what a calendar of the guild follows. */
  forget(guildId: GuildId): void;
}

/** Another replica knows within five seconds that a calendar follows an address, and at once that this has ended. */
export function followedCalendars(
  readings: Pick<FollowReadingsStore, "listFollowed">,
  now: () => number,
): FollowedCalendars {
  const cache = guildCache((guildId) => readings.listFollowed(guildId), now);
  return {
    async refusal({ guildId, calendarNumber }) {
      if (!(await cache.of(guildId)).includes(calendarNumber)) return undefined;
      cache.forget(guildId);
      return (await cache.of(guildId)).includes(calendarNumber) ? refuse("CALENDAR_FOLLOWED") : undefined;
    },
    forget: (guildId) => cache.forget(guildId),
  };
}
