import { anchorInstant, type OffsetAnchor } from "../../../contracts/announcement-offsets.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Post } from "../post/post.ts";
import type { cancelReasons } from "./cancel-reason.ts";
import { postKey } from "./desired-posts.ts";
import { anchorSetAt } from "./fire-time.ts";
import { elapsedOffset, offsetsOf, timesInKey } from "./offsets.ts";
import type { PlanInput } from "./plan-input.ts";
import { type Candidate, firstIndexFrom, type SelectionInput, selectSoonest } from "./select-soonest.ts";
import { settledPost } from "./settled-post.ts";
import { forEachInSlices } from "./time-slices.ts";

/** Announcement rules and occurrences as they were before their last change that can cancel or move posts. */
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
  const ended = rulesWithDuePosts(rules, input.occurrences);
  const ofRules = ended.length === 0 ? [] : yield* soonestOf({ ...due, announcements: ended }, limit);
  return [...ofEvents, ...ofRules].filter(wasDue);
}

/**
 * The rules in whose lifetime a post became due, or an occurrence got its anchor. Clients may create and delete
 * announcements all the time; the other rules can have no due post, and are not paired with every occurrence.
 */
function rulesWithDuePosts(
  rules: readonly AnnouncementRule[],
  occurrences: readonly Occurrence[],
): readonly AnnouncementRule[] {
  const instants = (anchor: OffsetAnchor) => ({
    anchors: occurrences.flatMap((each) => anchorInstant(each, anchor) ?? []).toSorted(compareNumbers),
    setTimes: occurrences.map((each) => anchorSetAt(each, anchor)).toSorted(compareNumbers),
  });
  const known = new Map<OffsetAnchor, ReturnType<typeof instants>>();
  return rules.filter((rule) => {
    const { standsSince, until = Infinity } = rule;
    return offsetsOf(rule).some((offset) => {
      const { anchor, ms } = elapsedOffset(rule, offset);
      const { anchors, setTimes } = known.get(anchor) ?? instants(anchor);
      known.set(anchor, { anchors, setTimes });
      return hasWithin(anchors, standsSince - ms, until - ms) || hasWithin(setTimes, standsSince, until);
    });
  });
}

/** Whether one of the sorted values lies in `[from, until)`. */
function hasWithin(sorted: readonly number[], from: number, until: number): boolean {
  const at = firstIndexFrom(sorted, from, (value) => value);
  return at < sorted.length && (sorted[at] as number) < until;
}

function compareNumbers(one: number, other: number): number {
  return one - other;
}

function* soonestOf(input: SelectionInput, limit: number): Generator<void, readonly Candidate[]> {
  return (yield* selectSoonest(input, limit)).candidates;
}

/** Whether the post was due while its rule stood for an event at this start. Another start is another post (D32). */
function wasDue({ announcement, occurrence, time }: Candidate): boolean {
  const end = announcement.until ?? Infinity;
  return (
    time.kind === "due" && time.dueAt < Math.min(end, occurrence.until ?? Infinity) && occurrence.scheduledAt < end
  );
}

/**
 * Makes the `cancelled` rows of posts that were due and were cancelled before any plan.
 *
 * @param reasonOf - Tells why a post is no longer desired.
 * @param isKnown - Whether the post has a row or is desired now.
 */
export function* cancelledBeforePlanned(
  input: PlanInput,
  reasonOf: ReturnType<typeof cancelReasons>,
  isKnown: (key: string) => boolean,
): Generator<void, Post[]> {
  const { cancelled = [], sinks, sinksEnabledSince = {} } = input;
  const rows = new Map<string, Post>();
  yield* forEachInSlices(cancelled, ({ announcement, announcementId, occurrence, occurrenceId, ruleOffset, time }) => {
    for (const sink of sinks) {
      const post = {
        announcementId,
        occurrenceId,
        ...timesInKey(occurrence, ruleOffset),
        sink,
        channel: announcement.channel,
        time,
      };
      const key = postKey(post);
      if (time.dueAt < (sinksEnabledSince[sink] ?? 0) || isKnown(key) || rows.has(key)) continue;
      rows.set(key, settledPost(input, post, 1, { state: "cancelled", reason: reasonOf(post) }));
    }
  });
  return [...rows.values()];
}
