import { unhandled } from "../../../../mixins/objects/unhandled.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
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

type Rejection = Extract<SendOutcome, { kind: "rejected" }>;

/**
 * Sends a post that this replica has claimed, and writes the result to the ledger. After `settle…` the post has its
 * outcome; after `returnToPlanned` and `keepSending` it is still open.
 */
export interface Delivery {
  /** @param isRestUnsent - Whether no earlier claim can have delivered any of the remaining parts. */
  send(claimed: Post, sink: Sink, messages: readonly ChatMessage[], isRestUnsent: boolean): Promise<void>;
  /**
   * All parts are delivered: the post is `sent`.
   *
   * @param isShown - Whether the message certainly shows what the row says of it; false by default.
   */
  settleSent(post: Post, isShown?: boolean): Promise<void>;
  /**
   * The post is `failed`.
   *
   * @param isWholePostUnsent - Whether certainly nothing was delivered. A post in doubt is not planned again.
   */
  settleFailed(post: Post, reason: string, isWholePostUnsent: boolean, scope?: Rejection["scope"]): Promise<void>;
  /** The post may have been delivered, and is not sent again: it is `unknown`. */
  settleUnknown(post: Post, reason: string, scope?: Rejection["scope"]): Promise<void>;
  /** Nothing was delivered: the post is `planned` again, and the next attempt begins after `delayMs`. */
  returnToPlanned(post: Post, reason: string, delayMs: number): Promise<void>;
  /** The post may have been delivered: it stays `sending`, and may be taken over after `delayMs`. */
  keepSending(post: Post, reason: string, delayMs: number): Promise<void>;
}

/** The parts that sending a claimed post uses. */
interface SendingParts {
  readonly ports: Ports;
  readonly timing: Timing;
  readonly lifecycle: Lifecycle;
  readonly ledger: Ledger;
  readonly circuitBreaker: CircuitBreaker;
  /** Paces all parts of a post but the first. */
  readonly pacing: SendPacing;
  readonly waits: WaitRecords;
  /** Called with each post whose outcome may change its guild's plan. */
  readonly onReplanNeeded: (post: Post) => void;
}

/** Time of the lease that is reserved for writing the outcome. */
const SETTLE_RESERVE_MS = 500;
/** With less time left of the lease, the lease is extended before the next part is sent. */
const MIN_LEASE_LEFT_MS = 2_000;
/** Longest wait between two checks of the lease. */
const MAX_WAIT_MS = 1_000;

export function newDelivery(sendingParts: SendingParts): Delivery {
  const { ports, timing, lifecycle, ledger, circuitBreaker, pacing, waits, onReplanNeeded } = sendingParts;
  const { clock, store, random, reports } = ports;

  async function send(
    claimed: Post,
    sink: Sink,
    messages: readonly ChatMessage[],
    isRestUnsent: boolean,
  ): Promise<void> {
    let post: Post | null = claimed;
    for (let part = post.delivered.length; part < messages.length; part = post.delivered.length) {
      const message = messages[part] as ChatMessage;
      post = await (part === claimed.delivered.length ? withLease(post) : withBudget(post));
      if (post === null) return;
      const isWholePostUnsent = isRestUnsent && part === 0;
      if (clock.now() > post.deadline) return endOverdue(post, isWholePostUnsent);
      if (lifecycle.isStopping && isWholePostUnsent) return returnToPlanned(post, "dispatch was stopping", 0);
      const outcome = await attempt(post, sink, message, part);
      waits.add(post, "RECEIVER_SLOW");
      if (outcome.kind !== "sent") return settleAttempt(post, sink, outcome, { isRestUnsent, isWholePostUnsent });
      post = { ...post, delivered: [...post.delivered, outcome.messageId] };
      if (part + 1 < messages.length) {
        post = await store.extendLease(post, timing.leaseMs);
      }
      if (post === null) return;
    }
    await settleSent(post, isRestUnsent && claimed.delivered.length === 0);
  }

  /** While a post is `sending`, its `wakeAt` is the end of its lease. */
  function leaseLeftMs({ wakeAt }: Post): number {
    return wakeAt - clock.now();
  }

  /** The post with enough of its lease left to send; null if another claim took it. */
  async function withLease(post: Post): Promise<Post | null> {
    if (leaseLeftMs(post) >= MIN_LEASE_LEFT_MS) return post;
    const held = await store.extendLease(post, timing.leaseMs);
    return held !== null && leaseLeftMs(held) >= MIN_LEASE_LEFT_MS ? held : null;
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
    const timeoutMs = Math.min(timing.sendTimeoutMs, leaseLeftMs(post) - SETTLE_RESERVE_MS);
    pacing.spend(post);
    return sink.send(outgoingMessage(post, part, message), timeoutMs);
  }

  /** Writes the result of an attempt that has not delivered its part, or has no response that says so. */
  async function settleAttempt(
    post: Post,
    sink: Sink,
    outcome: Exclude<SendOutcome, { kind: "sent" }>,
    { isRestUnsent, isWholePostUnsent }: { readonly isRestUnsent: boolean; readonly isWholePostUnsent: boolean },
  ): Promise<void> {
    const { reason } = outcome;
    switch (outcome.kind) {
      case "rejected":
        if (!isRestUnsent) return endRejectedInDoubt(post, outcome, sink);
        return settleFailed(post, reason, isWholePostUnsent, outcome.scope);
      case "halted":
        circuitBreaker.open(post.sink, reason);
        return tryLater(post, reason, timing.circuitOpenMs, isWholePostUnsent);
      case "retry":
        if (outcome.afterMs > 0) reports.waited(post.sink, "limit", outcome.afterMs);
        return tryLater(post, reason, outcome.afterMs, isWholePostUnsent && outcome.undelivered === true);
      default:
        unhandled(outcome);
    }
  }

  /**
   * An earlier attempt may have been delivered before this one was rejected. The post is looked up as soon as an absent
   * message proves something. If it is absent, it is planned again and rejected for certain; a post that can't be looked
   * up is `unknown`.
   */
  async function endRejectedInDoubt(post: Post, { reason, scope }: Rejection, sink: Sink): Promise<void> {
    const reasonInDoubt = `${reason}, after an attempt whose outcome is not known`;
    if (sink.find === undefined) return settleUnknown(post, reasonInDoubt, scope);
    await keepSending(post, reasonInDoubt, msUntilAfter(nonceValidUntil(post, sink, timing)));
  }

  /** A post that can't be sent before its deadline is settled directly after the deadline, not later. */
  async function tryLater(post: Post, reason: string, minimumMs: number, isWholePostUnsent: boolean): Promise<void> {
    const backoffMs = retryDelay(post.attempts, random.fraction(), { minimumMs });
    const delayMs = Math.min(backoffMs, msUntilAfter(post.deadline));
    await (isWholePostUnsent ? returnToPlanned(post, reason, delayMs) : keepSending(post, reason, delayMs));
  }

  function endOverdue(post: Post, isWholePostUnsent: boolean): Promise<void> {
    const reason = post.reason ?? "its deadline passed while it was being sent";
    return isWholePostUnsent ? returnToPlanned(post, reason, 0) : keepSending(post, reason, 0);
  }

  /** Adds 1 ms: a post may still be sent at its deadline, and a nonce is still recognised at the last instant. */
  function msUntilAfter(lastInstant: EpochMs): number {
    return Math.max(0, lastInstant + 1 - clock.now());
  }

  async function settleSent(post: Post, isShown = false): Promise<void> {
    const now = clock.now();
    const { delivered, dueAt } = post;
    const outcome = { delivered, messageId: delivered[0], settledAt: now, lateMs: Math.max(0, now - dueAt) };
    const reason = waits.lateReason(post);
    await ledger.write(post, {
      state: "sent",
      ...outcome,
      ...(reason !== undefined && { reason }),
      ...SETTLED,
      ...firstStep(post, now, isShown),
    });
    waits.remove(post);
  }

  async function settleFailed(
    post: Post,
    reason: string,
    isWholePostUnsent: boolean,
    scope?: Rejection["scope"],
  ): Promise<void> {
    const { delivered } = post;
    const doubt = isWholePostUnsent ? {} : { doubtSince: post.doubtSince };
    const outcome = { state: "failed", reason, settledAt: clock.now(), delivered } as const;
    // `doubt` follows SETTLED, which would remove `doubtSince`: a failed post in doubt keeps it.
    await ledger.write(post, { ...outcome, ...SETTLED, ...doubt, ...suspension(post, scope) });
    waits.remove(post);
    onReplanNeeded(post);
  }

  async function settleUnknown(post: Post, reason: string, scope?: Rejection["scope"]): Promise<void> {
    const outcome = { state: "unknown", reason, settledAt: clock.now(), delivered: post.delivered } as const;
    await ledger.write(post, { ...outcome, ...SETTLED, ...suspension(post, scope) });
    waits.remove(post);
    if (scope === "channel") onReplanNeeded(post);
  }

  async function returnToPlanned(post: Post, reason: string, delayMs: number): Promise<void> {
    const waited = waits.totals(post);
    await ledger.write(post, { state: "planned", reason, waited, wakeAt: clock.now() + delayMs, ...UNCLAIMED });
    onReplanNeeded(post);
  }

  async function keepSending(post: Post, reason: string, delayMs: number): Promise<void> {
    const { delivered } = post;
    const wakeAt = clock.now() + delayMs;
    const waited = waits.totals(post);
    // Without an owner the take-over counts no crash.
    await ledger.write(post, { state: "sending", reason, waited, wakeAt, delivered, owner: undefined });
  }

  return { send, settleSent, settleFailed, settleUnknown, returnToPlanned, keepSending };
}

/** When the message of a sent post is compared for the first time. */
const FIRST_STEP_MS = 2_000;

/**
 * A message that is edited is compared soon after its send: a plan that learned of a change before found no sent post (D67).
 */
function firstStep({ message, crashes }: Post, now: EpochMs, isShown: boolean): PostWrite {
  if (message === undefined) return {};
  const state = { ...message, crashes, ...(isShown ? {} : { inDoubt: true as const }) };
  return { message: state, stepDue: true, wakeAt: now + FIRST_STEP_MS };
}

/** Removes the fields of a claim. */
const UNCLAIMED = { owner: undefined, attemptId: undefined, doubtSince: undefined, message: undefined };
/** Removes the fields that only open posts have. */
const SETTLED = { ...UNCLAIMED, waited: undefined };

/** A channel that rejected a post rejects it again, until the announcement is changed. */
function suspension({ announcementRevision }: Post, scope?: Rejection["scope"]): Pick<PostWrite, "suspends"> {
  return scope === "channel" ? { suspends: announcementRevision } : {};
}
