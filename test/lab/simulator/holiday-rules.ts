import { reasonCode } from "../../../services/dispatch/domain/post/reason-code.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { isOnHoliday } from "./due-rules.ts";
import { changesOf, type Evidence, isFirstClaim, stateAt } from "./evidence.ts";

/** Maximum age of a state by which a post is skipped or claimed. */
const SEEN_WITHIN_MS = 1_000;
/** Maximum time in which the announcement and then the occurrence with its holiday are read. */
const READ_MS = 2_000;
/** Maximum time from a write until it can be read. */
const VISIBLE_WITHIN_MS = 5_000;

/**
 * Checks that each post that was skipped on a holiday had one since shortly before it was due, and that it was skipped once.
 */
export function badHolidaySkips(evidence: Evidence): string[] {
  const skipped = new Set<string>();
  return evidence.record.writes.flatMap(({ at, before, after }) => {
    if (after.state !== "skipped" || before?.state === "skipped" || reasonCode(after) !== "HOLIDAY") return [];
    const key = `${after.id.replace(/:\d+$/, "")} due at ${after.dueAt}`;
    const isRepeated = skipped.has(key);
    skipped.add(key);
    // While the owners do not respond, the last plan takes their place, which may be old.
    const from = isBlind(evidence, after.dueAt, at) ? evidence.start : after.dueAt - VISIBLE_WITHIN_MS;
    const wasHoliday = wasEverOnHoliday(evidence, after, from, at);
    return [
      ...(isRepeated ? [`${key}: skipped on a holiday twice`] : []),
      ...(wasHoliday ? [] : [`${after.id}: skipped on a holiday that did not exist`]),
    ];
  });
}

/** Checks that nothing is posted whose occurrence was on a holiday from before its due instant until it was claimed. */
export function postedOnHolidays(evidence: Evidence): string[] {
  const { receiver, record, scenario, owners } = evidence;
  // The instant of a write and that of a due post are compared, so the clock must not be stepped.
  if (!scenario.holidays || scenario.clockSteps.length > 0) return [];
  return receiver.visible.flatMap(({ postId }) => {
    const claim = record.writes.findLast((write) => write.after.id === postId && isFirstClaim(write));
    if (claim === undefined || isBlind(evidence, claim.after.dueAt, claim.at)) return [];
    const from = Math.min(claim.after.dueAt, claim.at) - SEEN_WITHIN_MS;
    const instants = [from, ...changesOf(owners, claim.after).filter((at) => at > from && at <= claim.at)];
    const wasHoliday = instants.every((at) => isHoliday(evidence, claim.after, at));
    return wasHoliday ? [`${postId}: posted, although its event was on a holiday`] : [];
  });
}

function isHoliday({ owners }: Evidence, post: Post, at: number): boolean {
  const { announcement, occurrence } = stateAt(owners, post, at);
  return isOnHoliday(announcement, occurrence);
}

/**
 * Whether the announcement skipped holidays and the occurrence had one, at two instants that are at most as far apart as the reads of
 * the two.
 */
function wasEverOnHoliday({ owners }: Evidence, post: Post, from: number, until: number): boolean {
  const changes = changesOf(owners, post).filter((at) => at > from && at <= until);
  const instants = [from, ...changes.toSorted((one, other) => one - other), until];
  const states = instants.map((at) => ({ at, state: stateAt(owners, post, at) }));
  return states.some(({ state: { announcement } }, nth) =>
    states.some(({ at, state: { occurrence } }) => {
      // The state at an instant stays until the next change.
      const isRead = at >= states[nth]!.at - READ_MS && at <= (states[nth + 1]?.at ?? until) + READ_MS;
      return isRead && isOnHoliday(announcement, occurrence);
    }),
  );
}

/** Whether the owner services were not reachable at some time from the due instant to the claim. */
function isBlind({ start, scenario: { busDown, ownersDown } }: Evidence, dueAt: number, claimedAt: number): boolean {
  return [...busDown, ...ownersDown].some(
    ({ from, until }) => start + from <= claimedAt && start + until >= dueAt - 2 * SEEN_WITHIN_MS,
  );
}
