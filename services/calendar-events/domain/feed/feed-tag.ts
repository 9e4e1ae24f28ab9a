import { timeZones } from "../../../../mixins/time-zones/time-zones.ts";
import { TOMBSTONE_DAYS } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { VERSION } from "../../../contracts/version.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";

/** The values that determine the text of a feed. */
export interface FeedState {
  /** When an event of the guild was last written; 0 where none ever was. Database time. */
  readonly changedAt: EpochMs;
  readonly calendarRevision: number;
}

/** The state without the day; of this release of guildcal and of the time zones. */
function stateText({ changedAt, calendarRevision }: FeedState): string {
  const { version, source } = timeZones();
  return [VERSION, `${version}${source === "folder" ? "f" : ""}`, changedAt.toString(36), calendarRevision].join("/");
}

/** The tag of a feed at which no write under way can change what is shown. */
export function feedTag(state: FeedState, now: EpochMs): string {
  return `${stateText(state)}/${dayOf(now)}`;
}

/** The tag of a feed that a write under way may still change without another `changedAt`: it is of this moment alone. */
export function unsettledTag(state: FeedState, moment: string): string {
  return `${stateText(state)}/at${moment}`;
}

/**
 * Whether a tag is that of the state. An event that was removed is known for some days; after these the last write is an
 * earlier one again, and so would be an old tag.
 */
export function isTagOf(tag: string, state: FeedState, now: EpochMs): boolean {
  const before = stateText(state);
  const day = tag.startsWith(`${before}/`) ? tag.slice(before.length + 1) : "";
  const age = /^[0-9]{1,8}$/.test(day) ? dayOf(now) - Number(day) : Infinity;
  return age >= 0 && age < TOMBSTONE_DAYS - 1;
}

function dayOf(at: EpochMs): number {
  return Math.floor(at / DAY_MS);
}
