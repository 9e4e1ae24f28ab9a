import { fireTime } from "../../../services/dispatch/domain/plan/fire-time.ts";
import { matchesPlan } from "../../../services/dispatch/domain/plan/current-state.ts";
import { mayHaveBeenSent, type Post } from "../../../services/dispatch/domain/post/post.ts";
import { changesOf, databaseTime, type Evidence, stateAt, type Write } from "./evidence.ts";
import type { VisibleMessage } from "./simulated-receiver.ts";

/** How long an acknowledged change may take to reach a claim. */
const SEEN_WITHIN_MS = 1_000;
/** A send that began in time by a clock that lags by this much. */
const CLOCK_LAG_MS = 50;
/** For so long after a step a process may go by the database's clock as it was. */
const STEP_UNSEEN_MS = 30_000;

/** At most one visible message for each part of an announcement of an occurrence at one start. */
export function doubles({ receiver }: Evidence): string[] {
  const seen = new Set<string>();
  return receiver.visible.flatMap(({ postId, part }) => {
    const key = `${postId.replace(/:\d+$/, "")} part ${part}`;
    if (seen.has(key)) return [`${key}: posted twice`];
    seen.add(key);
    return [];
  });
}

/** Shortly before its claim, the current state required a visible message; it was due and before its deadline. */
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
  // What was due stays due, also where the clock is stepped back before the next part, or another try.
  const claims = record.writes.filter((write) => isClaim(write) && write.after.dueAt === claim.after.dueAt);
  const early = claim.after.dueAt - Math.max(...claims.map(({ at }) => databaseTime(evidence, at)));
  if (early > 0) says.push(`${row.id}: posted ${early} ms early`);
  const sentAt = databaseTime(evidence, message.sentAt) - lagAt(evidence, message.sentAt);
  if (sentAt > deadlineOf(evidence, claim)) says.push(`${row.id}: sent after its deadline`);
  const isPoison = row.state === "failed" && row.reason?.startsWith("poison") === true;
  if (!mayHaveBeenSent(row) && !isPoison) says.push(`${row.id}: posted, and said to be ${row.state}`);
  const isRefused = receiver.refused.some(({ postId, at }) => postId === row.id && at <= message.at);
  if (message.isPlain && !isRefused) says.push(`${row.id}: posted without its box, which nobody had refused`);
  if (
    !isBlind(evidence, claim.at, message.sentAt) &&
    !stoodAround(evidence, claim.after, claim.at - SEEN_WITHIN_MS, message.at)
  ) {
    says.push(`${row.id}: posted against a change that had been acknowledged ${SEEN_WITHIN_MS} ms before its claim`);
  }
  return says;
}

/** By the ledger, and by the current state at the claim. */
function deadlineOf({ owners, timing }: Evidence, { at, after }: Write): number {
  const { announcement, occurrence } = stateAt(owners, after, at);
  if (announcement === null || occurrence?.startsAt !== after.startsAt) return after.deadline;
  const time = fireTime(announcement, occurrence, timing.graceMs);
  return time?.kind === "due" ? Math.min(time.deadline, after.deadline) : after.deadline;
}

/** By how much a process's clock may lag: more while a step of the database's is not noticed. */
function lagAt({ start, scenario }: Evidence, at: number): number {
  const unseen = scenario.clockSteps.filter((step) => start + step.at <= at && at < start + step.at + STEP_UNSEEN_MS);
  return unseen.reduce((lag, { byMs }) => lag + Math.abs(byMs), CLOCK_LAG_MS);
}

/**
 * Whether somewhere from the claim to the send nobody could be asked, or the age of an answer could not be told: who
 * takes a post over asks after its claim.
 */
function isBlind({ start, scenario }: Evidence, claimedAt: number, sentAt: number): boolean {
  const { busDown, ownersDown, clockSteps } = scenario;
  const steps = clockSteps.map((step) => ({ from: step.at, until: step.at + STEP_UNSEEN_MS }));
  return [...busDown, ...ownersDown, ...steps].some(
    ({ from, until }) => start + from <= sentAt && start + until >= claimedAt - 2_000,
  );
}

/** Whether the current state required the post at some instant of the interval. */
function stoodAround({ owners, timing }: Evidence, post: Post, from: number, until: number): boolean {
  const instants = [from, ...changesOf(owners, post).filter((at) => at > from && at <= until)];
  return instants.some((at) => matchesPlan(post, stateAt(owners, post, at), timing.graceMs));
}
