import { reasonCode } from "../../../services/dispatch/domain/post/reason-code.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { pausedUntil } from "./due-rules.ts";
import { changesOf, type Evidence, isFirstClaim, stateAt } from "./evidence.ts";

/** Maximum time from the acknowledgement of a pause until claims follow it. */
const SEEN_WITHIN_MS = 1_000;
/** Maximum time from a write until it can be read. */
const VISIBLE_WITHIN_MS = 5_000;

/** Checks that each post that was skipped by a pause was due before the end of one, and that it was skipped once. */
export function badPauseSkips({ record, owners }: Evidence): string[] {
  const skipped = new Set<string>();
  return record.writes.flatMap(({ at, before, after }) => {
    if (after.state !== "skipped" || before?.state === "skipped" || reasonCode(after) !== "PAUSED") return [];
    const key = `${after.id.replace(/:\d+$/, "")} due at ${after.dueAt}`;
    const isRepeated = skipped.has(key);
    skipped.add(key);
    const wasPaused = changesOf(owners, after).some(
      (change) => change <= at && pausedUntilAt(owners, after, change) > after.dueAt,
    );
    return [
      ...(isRepeated ? [`${key}: skipped by a pause twice`] : []),
      ...(wasPaused ? [] : [`${after.id}: skipped by a pause that did not exist`]),
    ];
  });
}

/** Checks that nothing is posted that was due while a pause was in force, also after the pause has ended. */
export function postedAfterPauses(evidence: Evidence): string[] {
  const { receiver, record, scenario } = evidence;
  // The instant of a write and that of a due post are compared, so the clock must not be stepped.
  if (!scenario.pauses || scenario.clockSteps.length > 0) return [];
  return receiver.visible.flatMap(({ postId }) => {
    const claim = record.writes.findLast((write) => write.after.id === postId && isFirstClaim(write));
    if (claim === undefined || !wasPausedWhenDue(evidence, claim.after)) return [];
    return isBlind(evidence, claim.after.dueAt, claim.at)
      ? []
      : [`${postId}: posted, although it was due during a pause`];
  });
}

/** Whether a pause was in force from a second before the due instant until every write of that time could be read. */
function wasPausedWhenDue({ owners }: Evidence, post: Post): boolean {
  const [from, until] = [post.dueAt - SEEN_WITHIN_MS, post.dueAt + VISIBLE_WITHIN_MS];
  const instants = [from, ...changesOf(owners, post).filter((at) => at > from && at <= until)];
  return instants.every((at) => pausedUntilAt(owners, post, at) > post.dueAt);
}

function pausedUntilAt(owners: Evidence["owners"], post: Post, at: number): number {
  const { announcement, occurrence, settings } = stateAt(owners, post, at);
  return pausedUntil(announcement, occurrence, settings);
}

/** Whether the owner services were not reachable at some time from the due instant to the claim. */
function isBlind({ start, scenario: { busDown, ownersDown } }: Evidence, dueAt: number, claimedAt: number): boolean {
  return [...busDown, ...ownersDown].some(
    ({ from, until }) => start + from <= claimedAt && start + until >= dueAt - 2 * SEEN_WITHIN_MS,
  );
}
