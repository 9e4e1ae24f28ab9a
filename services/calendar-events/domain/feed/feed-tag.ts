import { timeZones } from "../../../../mixins/time-zones/time-zones.ts";
import { TOMBSTONE_DAYS } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { VERSION } from "../../../contracts/version.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";

/** The values that determine the text of a feed. */
export interface FeedState {
  /** Time of the last write of an event of the guild, by the database's clock; 0 without any. */
  readonly changedAt: EpochMs;
  readonly calendarRevision: number;
}

/** The state without the day. It includes the releases of guildcal and of the time zones. */
function stateText({ changedAt, calendarRevision }: FeedState): string {
  const { version, source } = timeZones();
  return [VERSION, `${version}${source === "folder" ? "f" : ""}`, changedAt.toString(36), calendarRevision].join("/");
}

/** The tag of a feed that no write in flight can change. */
export function feedTag(state: FeedState, now: EpochMs): string {
  return `${stateText(state)}/${dayOf(now)}`;
}

/** The tag of a feed that a write in flight may change without changing `changedAt`. It matches no later request. */
export function unsettledTag(state: FeedState, moment: string): string {
  return `${stateText(state)}/at${moment}`;
}

/**
 * Whether a tag belongs to the state. When the tombstone of the last write expires, the last write is an earlier one, and an old
 * tag would match again. Therefore a tag matches only for a shorter time than tombstones are stored.
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
