import type { ChatMessage } from "../../domain/message/chat-message.ts";
import type { Post } from "../../domain/post/post.ts";
import { retryDelay } from "../../domain/post/retry-delay.ts";
import type { SendOutcome, Sink } from "../../sinks/sink.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { PostWrite } from "../post-store.ts";
import type { SendPacing } from "../scheduling/due-scheduler.ts";
import type { Timing } from "../timing.ts";
import type { WaitRecords } from "../wait-records.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { Ledger } from "./ledger.ts";
import { nonceValidUntil, outgoingMessage } from "./outgoing-message.ts";

/** Sends a post that this replica has claimed, and writes the result to the ledger. */
export interface Delivery {
  /** @param isUnsent - Whether no earlier claim can have delivered any of the remaining parts. */
  send(claimed: Post, sink: Sink, messages: readonly ChatMessage[], isUnsent: boolean): Promise<void>;
  /** Settles a post of which all parts are delivered. */
  succeed(post: Post): Promise<void>;
  /** @param isCertain - Whether nothing was delivered. A post in doubt is not planned again. */
  fail(post: Post, reason: string, isCertain: boolean, scope?: "channel" | "payload"): Promise<void>;
  /** Settles a post as `unknown`: it may have been delivered, and is not sent again. */
  markUnknown(post: Post, reason: string, scope?: "channel" | "payload"): Promise<void>;
  /** Nothing was delivered: the post returns to `planned`, and is due after `delayMs`. */
  release(post: Post, reason: string, delayMs: number): Promise<void>;
  /** The post may have been delivered: it stays `sending`, and may be taken over after `delayMs`. */
  pause(post: Post, reason: string, delayMs: number): Promise<void>;
}

type Rejection = Extract<SendOutcome, { kind: "rejected" }>;

/** Time of the lease that is reserved for writing the outcome. */
const SETTLE_RESERVE_MS = 500;
/** With less time left of the lease, the lease is extended before the next part is sent. */
const MIN_LEASE_LEFT_MS = 2_000;
/** Longest wait between two checks of the lease. */
const MAX_WAIT_MS = 1_000;

/**
 * @param onReplanNeeded - Called with each post whose outcome may change its guild's plan.
 * @param pacing - Paces all parts but the first.
 */
export function newDelivery(
  ports: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  ledger: Ledger,
  circuitBreaker: CircuitBreaker,
  onReplanNeeded: (post: Post) => void,
  pacing: SendPacing,
  waits: WaitRecords,
): Delivery {
  const { clock, store, random } = ports;

  async function send(claimed: Post, sink: Sink, messages: readonly ChatMessage[], isUnsent: boolean): Promise<void> {
    let post: Post | null = claimed;
    for (let part = post.delivered.length; part < messages.length; part = post.delivered.length) {
      const message = messages[part] as ChatMessage;
      post = await (part === claimed.delivered.length ? withLease(post) : withBudget(post));
      if (post === null) return;
      const isNothingSent = isUnsent && part === 0;
      if (clock.now() > post.deadline) return endOverdue(post, isNothingSent);
      if (lifecycle.isStopping && isNothingSent) return release(post, "dispatch was stopping", 0);
      const outcome = await attempt(post, sink, message, part);
      waits.add(post, "RECEIVER_SLOW");
      if (outcome.kind === "rejected" && !isUnsent) return endRejectedInDoubt(post, outcome, sink);
      if (outcome.kind !== "sent") return endFailed(post, outcome, isNothingSent);
      post = { ...post, delivered: [...post.delivered, outcome.messageId] };
      if (part + 1 < messages.length) {
        post = await store.extendLease(post.id, post.fence, timing.leaseMs, post.delivered);
      }
      if (post === null) return;
    }
    await succeed(post);
  }

  /** The post with enough of its lease left to send; null if another claim took it. */
  async function withLease(post: Post): Promise<Post | null> {
    if (post.wakeAt - clock.now() >= MIN_LEASE_LEFT_MS) return post;
    const held = await store.extendLease(post.id, post.fence, timing.leaseMs, post.delivered);
    return held !== null && held.wakeAt - clock.now() >= MIN_LEASE_LEFT_MS ? held : null;
  }

  /** Waits until the sink's budget allows another part, and extends the lease meanwhile. */
  async function withBudget(post: Post): Promise<Post | null> {
    let held = await withLease(post);
    for (let wait = pacing.nextPartWaitMs(post); wait > 0 && held !== null; wait = pacing.nextPartWaitMs(post)) {
      if (lifecycle.isStopping) return held;
      await lifecycle.sleep(Math.min(wait, MAX_WAIT_MS));
      waits.add(post, "SINK_BUDGET");
      held = await withLease(held);
    }
    return held;
  }

  function attempt(post: Post, sink: Sink, message: ChatMessage, part: number): Promise<SendOutcome> {
    const timeoutMs = Math.min(timing.sendTimeoutMs, post.wakeAt - clock.now() - SETTLE_RESERVE_MS);
    pacing.spend(post);
    return sink.send(outgoingMessage(post, part, message), timeoutMs);
  }

  /**
   * An earlier attempt may have been delivered before this one was rejected. The post is looked up as soon as an absent
   * message proves something. If it is absent, it is planned again and rejected for certain; a post that can't be looked
   * up is `unknown`.
   */
  async function endRejectedInDoubt(post: Post, { reason, scope }: Rejection, sink: Sink): Promise<void> {
    const reasonInDoubt = `${reason}, after an attempt whose outcome is not known`;
    if (sink.find === undefined) return markUnknown(post, reasonInDoubt, scope);
    await pause(post, reasonInDoubt, Math.max(0, nonceValidUntil(post, sink, timing) + 1 - clock.now()));
  }

  async function endFailed(
    post: Post,
    outcome: Exclude<SendOutcome, { kind: "sent" }>,
    isNothingSent: boolean,
  ): Promise<void> {
    const { reason } = outcome;
    if (outcome.kind === "rejected") return fail(post, reason, isNothingSent, outcome.scope);
    if (outcome.kind === "halted") circuitBreaker.open(post.sink, reason);
    const requiredMs = outcome.kind === "halted" ? timing.circuitOpenMs : outcome.afterMs;
    if (outcome.kind === "retry" && requiredMs > 0) ports.reports.waited(post.sink, "limit", requiredMs);
    const isUndelivered = outcome.kind === "halted" || outcome.undelivered === true;
    const delayMs = retryDelay(post.attempts, random.fraction(), { minimumMs: requiredMs });
    // A post that can't be sent before its deadline is settled at the deadline, not later.
    const boundedMs = Math.max(0, Math.min(delayMs, post.deadline + 1 - clock.now()));
    await (isUndelivered && isNothingSent ? release(post, reason, boundedMs) : pause(post, reason, boundedMs));
  }

  function endOverdue(post: Post, isNothingSent: boolean): Promise<void> {
    const reason = post.reason ?? "its deadline passed while it was being sent";
    return isNothingSent ? release(post, reason, 0) : pause(post, reason, 0);
  }

  async function succeed(post: Post): Promise<void> {
    const now = clock.now();
    const { delivered, dueAt } = post;
    const proof = { delivered, messageId: delivered[0], settledAt: now, lateMs: Math.max(0, now - dueAt) };
    const reason = waits.lateReason(post);
    await ledger.write(post, { state: "sent", ...proof, ...(reason !== undefined && { reason }), ...SETTLED });
    waits.remove(post);
  }

  async function fail(post: Post, reason: string, isCertain: boolean, scope?: "channel" | "payload"): Promise<void> {
    const { delivered } = post;
    const doubt = isCertain ? {} : { doubtSince: post.doubtSince };
    const outcome = { state: "failed", reason, settledAt: clock.now(), delivered } as const;
    await ledger.write(post, { ...outcome, ...SETTLED, ...doubt, ...suspension(post, scope) });
    waits.remove(post);
    onReplanNeeded(post);
  }

  async function markUnknown(post: Post, reason: string, scope?: "channel" | "payload"): Promise<void> {
    const outcome = { state: "unknown", reason, settledAt: clock.now(), delivered: post.delivered } as const;
    await ledger.write(post, { ...outcome, ...SETTLED, ...suspension(post, scope) });
    waits.remove(post);
    if (scope === "channel") onReplanNeeded(post);
  }

  async function release(post: Post, reason: string, delayMs: number): Promise<void> {
    const waited = waits.totals(post);
    await ledger.write(post, { state: "planned", reason, waited, wakeAt: clock.now() + delayMs, ...UNCLAIMED });
    onReplanNeeded(post);
  }

  async function pause(post: Post, reason: string, delayMs: number): Promise<void> {
    const { delivered } = post;
    const wakeAt = clock.now() + delayMs;
    const waited = waits.totals(post);
    await ledger.write(post, { state: "sending", reason, waited, wakeAt, delivered, owner: undefined });
  }

  return { send, succeed, fail, markUnknown, release, pause };
}

const UNCLAIMED = { owner: undefined, attemptId: undefined, doubtSince: undefined };
const SETTLED = { ...UNCLAIMED, waited: undefined };

/** A channel that rejected a post rejects it again, until the announcement is changed. */
function suspension({ announcementRevision }: Post, scope?: "channel" | "payload"): Pick<PostWrite, "suspends"> {
  return scope === "channel" ? { suspends: announcementRevision } : {};
}
