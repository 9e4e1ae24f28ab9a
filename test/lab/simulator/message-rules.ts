import { mayHaveBeenSent, type Post } from "../../../services/dispatch/domain/post/post.ts";
import { intervalOf, isRequired } from "./due-rules.ts";
import { changesOf, databaseTime, type Evidence, stateAt, type Write } from "./evidence.ts";
import { MAX_SLOW_MS } from "./simulated-network.ts";
import { CLOCK_SAMPLE_MS } from "./simulated-replicas.ts";
import { OWNERS_TIMEOUT_MS } from "./simulated-ports.ts";
import type { VisibleMessage } from "./simulated-receiver.ts";

/** Maximum time from the acknowledgement of a change until claims follow it. */
const SEEN_WITHIN_MS = 1_000;
/** Maximum lag of a clock: a send may be late by this much. */
const CLOCK_LAG_MS = 50;
/**
 * Maximum time from the end of an outage until a claim that was prepared in it is applied: the request to the owners times out, the
 * plan is read in two requests, and the claim is the third. Each of these may be slow.
 */
const BLIND_MS = OWNERS_TIMEOUT_MS + 3 * MAX_SLOW_MS;
/** Least number of lost requests, at most three seconds apart, after which the owners count as silent for eight seconds. */
const MIN_SILENT_ATTEMPTS = 3;
/** Time after a step of the database's clock in which a process may use the time before it. */
const STEP_UNSEEN_MS = 30_000;

/** Checks that each part of a post has at most one visible message. */
export function doubles({ receiver }: Evidence): string[] {
  const seen = new Set<string>();
  return receiver.visible.flatMap(({ postId, part }) => {
    const key = `${postId.replace(/:\d+$/, "")} part ${part}`;
    if (seen.has(key)) return [`${key}: posted twice`];
    seen.add(key);
    return [];
  });
}

/** Checks that each visible message was due, before its deadline, and required by the current state shortly before its claim. */
export function badMessages(evidence: Evidence): string[] {
  return evidence.receiver.visible.flatMap((message) => badMessage(evidence, message));
}

function badMessage(evidence: Evidence, message: VisibleMessage): string[] {
  const { record, posts, receiver } = evidence;
  const row = posts.get(message.postId);
  const isClaim = ({ at, before, after }: Write) =>
    after.id === message.postId && at <= message.sentAt && after.fence > (before?.fence ?? 0);
  const claim = record.writes.findLast(isClaim);
  if (row === undefined || claim === undefined) return [`${message.postId}: posted without a claim`];
  const says: string[] = [];
  // A post that was due stays due, also if the clock is stepped back before its next part or next attempt.
  const claims = record.writes.filter((write) => isClaim(write) && write.after.dueAt === claim.after.dueAt);
  const early = claim.after.dueAt - Math.max(...claims.map(({ at }) => databaseTime(evidence, at)));
  if (early > 0) says.push(`${row.id}: posted ${early} ms early`);
  const sentAt = databaseTime(evidence, message.sentAt) - lagAt(evidence, message.sentAt);
  if (sentAt > deadlineOf(evidence, claim)) says.push(`${row.id}: sent after its deadline`);
  const isPoison = row.state === "failed" && row.reason?.startsWith("poison") === true;
  if (!mayHaveBeenSent(row) && !isPoison) says.push(`${row.id}: posted, and its state is ${row.state}`);
  const isRefused = receiver.refused.some(({ postId, at }) => postId === row.id && at <= message.at);
  if (message.isPlain && !isRefused) says.push(`${row.id}: posted without its embed, which no receiver had refused`);
  if (
    !isBlind(evidence, claim.at, message.sentAt) &&
    !stoodAround(evidence, claim.after, claim.at - SEEN_WITHIN_MS, message.at)
  ) {
    says.push(`${row.id}: posted against a change that had been acknowledged ${SEEN_WITHIN_MS} ms before its claim`);
  }
  return says;
}

/** The deadline, by the ledger and by the current state at the claim. */
function deadlineOf({ owners, timing }: Evidence, { at, after }: Write): number {
  const interval = intervalOf(after, stateAt(owners, after, at), timing.graceMs);
  return Math.min(interval?.deadline ?? Infinity, after.deadline);
}

/**
 * Maximum lag of a process's clock. The lag is larger until the process has noticed a step of the database's clock. The clock of
 * a new process lags by the round trip of its first reading, which may be slow.
 */
function lagAt({ start, scenario, record }: Evidence, at: number): number {
  const isNew = record.starts.some((startedAt) => startedAt <= at && at < startedAt + 2 * CLOCK_SAMPLE_MS);
  const least = isNew ? CLOCK_LAG_MS + MAX_SLOW_MS : CLOCK_LAG_MS;
  const unseen = scenario.clockSteps.filter((step) => start + step.at <= at && at < start + step.at + STEP_UNSEEN_MS);
  return unseen.reduce((lag, { byMs }) => lag + Math.abs(byMs), least);
}

/**
 * Whether at some instant from the claim to the send the owner services were not reachable, or the age of a response was
 * unknown. A replica that takes a post over reads the current state after its claim. If the requests of each attempt are lost, the
 * owners are silent, too.
 */
function isBlind({ start, scenario, record, timing }: Evidence, claimedAt: number, sentAt: number): boolean {
  const isDuringSilence = (at: number) => at >= claimedAt - timing.ownersSilentMs - BLIND_MS && at <= sentAt;
  if (record.lostReads.filter(isDuringSilence).length >= MIN_SILENT_ATTEMPTS) return true;
  const { busDown, ownersDown, clockSteps } = scenario;
  const steps = clockSteps.map((step) => ({ from: step.at, until: step.at + STEP_UNSEEN_MS }));
  return [...busDown, ...ownersDown, ...steps].some(
    ({ from, until }) => start + from <= sentAt && start + until >= claimedAt - BLIND_MS,
  );
}

/** Whether the current state required the post at some instant of the interval. */
function stoodAround({ owners, timing }: Evidence, post: Post, from: number, until: number): boolean {
  const instants = [from, ...changesOf(owners, post).filter((at) => at > from && at <= until)];
  return instants.some((at) => isRequired(post, stateAt(owners, post, at), timing.graceMs));
}
