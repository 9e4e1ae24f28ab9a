import type { EpochMs, EventId } from "../../../contracts/ids.ts";
import { newEventId } from "../event/event-id.ts";

/** The UIDs of a body. */
export interface ContentIndex {
  readonly uids: ReadonlySet<string>;
  /** Ids that UIDs of our own feed begin with: of events, of their occurrences, and of parts of series. */
  readonly ids: ReadonlySet<string>;
}

export function contentIndex(uids: Iterable<string>): ContentIndex {
  const all = new Set(uids);
  return { uids: all, ids: new Set([...all].map((uid) => uid.split(/[_-]/, 1)[0] ?? "")) };
}

/**
 * Whether an event of a calendar that follows an address is to be deleted: it was imported, or is older than `followedAt`, and
 * the body does not have it. The body has a series as a whole, so no part that was split from it (D51) stays. A replica may know up to five seconds late that the calendar is read-only: an event that a request
 * created then stays (D55).
 */
export function isGone(
  { id, uid, isLaterPart }: { readonly id: EventId; readonly uid?: string; readonly isLaterPart: boolean },
  { uids, ids }: ContentIndex,
  followedAt: EpochMs,
): boolean {
  if (uid !== undefined) return isLaterPart || !uids.has(uid);
  return !ids.has(id) && id < newEventId(followedAt, new Uint8Array());
}
