import { reasonCode } from "../../../services/dispatch/domain/post/reason-code.ts";
import { isOpen, type Post, TRANSITIONS } from "../../../services/dispatch/domain/post/post.ts";
import { isRequired } from "./due-rules.ts";
import { changesOf, databaseTime, type Evidence, isFaultFree, stateAt } from "./evidence.ts";

/** Time without faults before its deadline in which a post must be sent. */
const HEALTHY_MS = 60_000;
/** The work of a replica at the begin of its stop is at most this old: a fault since then may hinder the stop. */
const BEGUN_MS = 6_000;

/** Checks that each transition is in `TRANSITIONS`, each claim raises the fence, and no claim takes a post during a lease. */
export function badWrites(evidence: Evidence): string[] {
  const latest = new Map<string, Post>();
  return evidence.record.writes.flatMap(({ at, before, after }) => {
    const last = latest.get(after.id);
    latest.set(after.id, after);
    if (before === undefined) return [];
    const says: string[] = [];
    if (!TRANSITIONS[before.state].includes(after.state))
      says.push(`${after.id}: ${before.state} became ${after.state}`);
    if (after.fence < before.fence) says.push(`${after.id}: the fence fell`);
    const claimed = after.attemptId !== undefined && after.attemptId !== before.attemptId;
    if (claimed && after.fence !== before.fence + 1) says.push(`${after.id}: a claim did not raise the fence`);
    const isInWork = last?.state === "sending" || last?.stepDue === true;
    const isHeld = isInWork && last.owner !== undefined && last.wakeAt > databaseTime(evidence, at);
    if (claimed && isHeld) says.push(`${after.id}: claimed while another held it`);
    return says;
  });
}

/** Checks that every post ends, has a reason if it was not sent, and was sent if there was enough time without faults. */
export function badOutcomes(evidence: Evidence): string[] {
  return [...evidence.posts.values()].flatMap((post) => badOutcome(evidence, post));
}

function badOutcome(evidence: Evidence, post: Post): string[] {
  const { now, receiver, scenario } = evidence;
  if (isOpen(post)) {
    return post.dueAt < databaseTime(evidence, now) - 1_000 ? [`${post.id}: still ${post.state} at the end`] : [];
  }
  const delivered = receiver.visible.some(({ postId }) => postId === post.id);
  if (post.state === "sent") {
    const all = receiver.visible.filter(({ nonce, id }) => post.delivered.includes(id) && nonce !== "");
    if (all.length !== post.parts) return [`${post.id}: its state is sent, and it was not posted`];
    // A punctual post has no reason code (D44).
    return reasonCode(post) === "OTHER" ? [`${post.id}: sent ${post.lateMs} ms late without a reason`] : [];
  }
  if (post.reason === undefined) return [`${post.id}: ${post.state} without a reason`];
  if (post.state === "missed" && reasonCode(post) === "OTHER")
    return [`${post.id}: missed without a reason code (${post.reason})`];
  const isFirst = post.sink === scenario.sinks[0];
  // If the receiver supports no lookup, the outcome stays unknown after its nonces have expired.
  const canLookUp = scenario.canLookUp || !isFirst;
  const lost = post.state === "missed" || (post.state === "unknown" && !delivered && canLookUp);
  const tried = isFirst && scenario.limited + scenario.broken > 0;
  const isRefused = receiver.refused.some(({ postId }) => postId === post.id);
  return lost && !tried && !isRefused && wasHealthy(evidence, post)
    ? [`${post.id}: ${post.state} (${post.reason}), without a fault`]
    : [];
}

/** Whether there was enough time without faults while the post was due and planned. */
function wasHealthy({ record, start, owners, timing }: Evidence, post: Post): boolean {
  const whileOpen = changesOf(owners, post).filter((at) => at <= (post.settledAt ?? 0));
  const currentAt = (at: number) => stateAt(owners, post, at);
  if (!whileOpen.every((at) => at < post.dueAt || isRequired(post, currentAt(at), timing.graceMs))) return false;
  const plannedAt = record.writes.find(({ after }) => after.id === post.id)?.at ?? start;
  const from = Math.max(post.dueAt, plannedAt, ...whileOpen) - start;
  const until = post.deadline - start;
  const concern = record.faults.filter(({ sink }) => sink === undefined || sink === post.sink);
  const faults = concern.filter((fault) => fault.until > from && fault.from < until);
  const edges = [from, ...faults.map((fault) => fault.until)].filter((edge) => edge >= from);
  return edges.some(
    (edge) =>
      edge + HEALTHY_MS <= until && !faults.some((fault) => fault.from < edge + HEALTHY_MS && fault.until > edge),
  );
}

/** Checks that a stopping replica finishes or releases all its posts, unless a fault prevents that. */
export function badDrains({ record, start, scenario }: Evidence): string[] {
  const others = { start, record: { ...record, faults: record.faults.filter(({ isDrain }) => isDrain !== true) } };
  return record.drains.flatMap(({ from, until, left }) => {
    const isHindered = scenario.loss > 0 || !isFaultFree(others, from - BEGUN_MS, until);
    return isHindered ? [] : left.map((id) => `${id}: left in flight by a replica that stopped gracefully`);
  });
}
