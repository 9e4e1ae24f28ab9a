import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { type Evidence, isFirstClaim, isFaultFree, type Write } from "./evidence.ts";
import type { RefusedAttempt } from "./simulated-receiver.ts";

/** Maximum time until a suspension is in the plan. */
const PLANNED_WITHIN_MS = 5_000;
/** Time after a sink was halted in which a post may be claimed whose current state was read before. */
const BEGUN_MS = 3_000;
const SUSPENDED = "the announcement is suspended";

/** Checks that each failed post was refused permanently, or crashed workers. */
export function badFailures({ posts, receiver }: Evidence): string[] {
  return [...posts.values()].flatMap((post) => {
    if (post.state !== "failed" || post.reason?.startsWith("poison") === true) return [];
    const isRefused = receiver.refused.some(({ postId, reason }) => postId === post.id && reason === post.reason);
    return isRefused ? [] : [`${post.id}: failed (${post.reason}), though no receiver had refused it`];
  });
}

/** Maximum age of the state that a claim is based on. */
const SEEN_WITHIN_MS = 1_000;

/** Checks that an announcement is not sent through a sink after a permanent refusal of its channel, until an update. */
export function badSuspensions(evidence: Evidence): string[] {
  const { record, receiver, posts } = evidence;
  return receiver.refused.flatMap((refusal) => {
    const settled = settledBy(record.writes, refusal);
    const post = posts.get(refusal.postId);
    if (refusal.scope !== "channel" || settled === undefined || post === undefined) return [];
    const from = settled.at + PLANNED_WITHIN_MS;
    if (evidence.scenario.loss > 0 || !isFaultFreeElsewhere(evidence, settled.at, from)) return [];
    // A claim is based on an older state: an update shortly before it may have ended the suspension.
    const until = updateAfter(evidence, post, claimOf(record.writes, settled).at - SEEN_WITHIN_MS);
    const again = record.writes.find(
      (write) =>
        isFirstClaim(write) &&
        isSameWay(write.after, post) &&
        write.at > Math.max(from, plannedAgainAt(record.writes, write) + PLANNED_WITHIN_MS) &&
        write.at < until,
    );
    return again === undefined ? [] : [`${again.after.id}: claimed while its announcement was suspended`];
  });
}

/** The last instant before a claim at which its post was released: plans and suspensions do not change a post in flight. */
function plannedAgainAt(writes: readonly Write[], claim: Write): number {
  const isGivenBack = ({ at, before, after }: Write) =>
    at < claim.at && after.id === claim.after.id && before?.state === "sending" && after.state === "planned";
  return writes.findLast(isGivenBack)?.at ?? -Infinity;
}

/** Checks that for each post that was skipped for a suspension, there was a suspension that no update had ended. */
export function badSkips(evidence: Evidence): string[] {
  const { record } = evidence;
  return record.writes.flatMap(({ at, before, after }) => {
    if (after.state !== "skipped" || before?.state === "skipped" || !isSuspended(after)) return [];
    const reasons = record.writes.filter((write) => write.at <= at && isSameWay(write.after, after) && suspends(write));
    const isLifted = (write: Write) =>
      updateAfter(evidence, write.after, claimOf(record.writes, write).at) < at - 2 * PLANNED_WITHIN_MS;
    if (evidence.scenario.loss > 0 || !isFaultFreeElsewhere(evidence, at - 2 * PLANNED_WITHIN_MS, at)) return [];
    return reasons.some((write) => !isLifted(write))
      ? []
      : [`${after.id}: skipped for a suspension that did not exist`];
  });
}

/** Checks that a replica claims no post of a sink while it knows that the sink is halted. */
export function claimsOfHaltedSinks(evidence: Evidence): string[] {
  const { record, timing } = evidence;
  return record.haltedResponses.flatMap(({ at, owner, sink }) => {
    const [from, until] = [at + BEGUN_MS, at + timing.circuitOpenMs - BEGUN_MS];
    if (evidence.scenario.loss > 0 || !isFaultFreeElsewhere(evidence, at - BEGUN_MS, until)) return [];
    const claim = record.writes.find(
      (write) =>
        isFirstClaim(write) &&
        write.after.owner === owner &&
        write.after.sink === sink &&
        write.at > from &&
        write.at < until,
    );
    return claim === undefined ? [] : [`${claim.after.id}: claimed while its sink was halted`];
  });
}

/** Whether nothing except a receiver is broken. */
function isFaultFreeElsewhere({ record, start }: Evidence, from: number, until: number): boolean {
  return isFaultFree(
    { start, record: { ...record, faults: record.faults.filter(({ sink }) => sink === undefined) } },
    from,
    until,
  );
}

function isSuspended({ reason }: Post): boolean {
  return reason?.startsWith(SUSPENDED) === true;
}

function suspends({ after }: Write): boolean {
  return after.suspends !== undefined;
}

function isSameWay(one: Post, other: Post): boolean {
  return one.announcementId === other.announcementId && one.sink === other.sink;
}

/** The write that settled the post with this refusal. */
function settledBy(writes: readonly Write[], { postId, at, reason }: RefusedAttempt): Write | undefined {
  return writes.find(
    ({ at: then, after }) => then >= at && after.id === postId && after.state === "failed" && after.reason === reason,
  );
}

/** The claim under which the post was settled. */
function claimOf(writes: readonly Write[], settled: Write): Write {
  const isClaim = (write: Write) =>
    isFirstClaim(write) && write.after.id === settled.after.id && write.at <= settled.at;
  return writes.findLast(isClaim) ?? settled;
}

/** The first update of the post's announcement after an instant. */
function updateAfter({ owners }: Evidence, post: Post, at: number): number {
  const versions = owners.announcements.get(post.announcementId) ?? [];
  return versions.find(({ visibleAt }) => visibleAt > at)?.visibleAt ?? Infinity;
}
