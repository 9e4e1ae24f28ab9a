import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Post } from "../post/post.ts";
import { cancelReason } from "./cancel-reason.ts";
import { postKey } from "./desired-posts.ts";
import type { PlanInput } from "./plan-input.ts";
import { type Candidate, type SelectionInput, selectSoonest } from "./select-soonest.ts";
import { settledPost } from "./settled-post.ts";
import { forEachInSlices } from "./time-slices.ts";

/** Announcement rules and occurrences as they were until their last change. */
export interface FormerState {
  readonly rules: readonly AnnouncementRule[];
  readonly occurrences: readonly Occurrence[];
}

/**
 * Selects the soonest candidates that had become due before they were cancelled: a current or former rule with a
 * former occurrence, or a former rule with a current occurrence.
 */
export function* selectCancelled(
  input: SelectionInput,
  { rules, occurrences }: FormerState,
  limit: number,
): Generator<void, Candidate[]> {
  const due = { ...input, through: input.now + 1, bounded: undefined };
  const announcements = [...input.announcements, ...rules];
  const ofEvents = occurrences.length === 0 ? [] : yield* soonestOf({ ...due, announcements, occurrences }, limit);
  const ofRules = rules.length === 0 ? [] : yield* soonestOf({ ...due, announcements: rules }, limit);
  return [...ofEvents, ...ofRules].filter(wasDue);
}

function* soonestOf(input: SelectionInput, limit: number): Generator<void, readonly Candidate[]> {
  return (yield* selectSoonest(input, limit)).candidates;
}

function wasDue({ announcement, occurrence, time }: Candidate): boolean {
  return time.kind === "due" && time.dueAt < Math.min(announcement.until ?? Infinity, occurrence.until ?? Infinity);
}

/**
 * Makes the `cancelled` rows of posts that were due and were cancelled before any plan.
 *
 * @param startsThrough - As in `cancelReason`.
 * @param isKnown - Whether the post has a row or is desired now.
 */
export function* cancelledBeforePlanned(
  input: PlanInput,
  startsThrough: EpochMs,
  isKnown: (key: string) => boolean,
): Generator<void, Post[]> {
  const { cancelled = [], sinks, sinksEnabledSince = {} } = input;
  const rows = new Map<string, Post>();
  yield* forEachInSlices(cancelled, ({ announcement, announcementId, occurrence, occurrenceId, time }) => {
    for (const sink of sinks) {
      const post = {
        announcementId,
        occurrenceId,
        startsAt: occurrence.startsAt,
        sink,
        channel: announcement.channel,
        time,
      };
      const key = postKey(post);
      if (time.dueAt < (sinksEnabledSince[sink] ?? 0) || isKnown(key) || rows.has(key)) continue;
      const reason = cancelReason(post, input, startsThrough);
      rows.set(key, settledPost(input, post, 1, { state: "cancelled", reason }));
    }
  });
  return [...rows.values()];
}
