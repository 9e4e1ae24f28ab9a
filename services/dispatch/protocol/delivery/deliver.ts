import type { ChatMessage } from "../../domain/message/chat-message.ts";
import type { Post } from "../../domain/post/post.ts";
import { retryDelay } from "../../domain/post/retry-delay.ts";
import type { SendOutcome, Sink } from "../../sinks/sink.ts";
import type { Pace } from "../scheduling/due-scheduler.ts";
import type { Halts } from "./circuit-breaker.ts";
import type { Ledger } from "./ledger.ts";
import type { Life } from "../lifecycle.ts";
import { nonceKnownUntil, outgoing } from "./outgoing-message.ts";
import type { Ports } from "../ports.ts";
import type { PostWrite } from "../post-store.ts";
import type { Timing } from "../timing.ts";
import type { WaitRecords } from "../wait-records.ts";

/** Sends a post that is ours by its fence, and writes down what became of it. */
export interface Delivery {
  /** @param fresh - Whether nothing of what is left to send can have been delivered by an earlier claim. */
  send(claimed: Post, sink: Sink, messages: readonly ChatMessage[], fresh: boolean): Promise<void>;
  /** All parts are known to be delivered. */
  succeed(post: Post): Promise<void>;
  /** @param certain - Whether nothing of it was delivered; where that is in doubt, it is not planned anew. */
  fail(post: Post, reason: string, certain: boolean, scope?: "channel" | "payload"): Promise<void>;
  /** Nobody can tell whether it was delivered, and it is not sent again. */
  giveUp(post: Post, reason: string, scope?: "channel" | "payload"): Promise<void>;
  /** Certainly not delivered: it is planned again, for `delayMs` from now. */
  release(post: Post, reason: string, delayMs: number): Promise<void>;
  /** Perhaps delivered: it stays `sending`, and may be taken up again `delayMs` from now. */
  pause(post: Post, reason: string, delayMs: number): Promise<void>;
}

type Refusal = Extract<SendOutcome, { kind: "rejected" }>;

/** Time that is left of the lease for writing the outcome. */
const SETTLING_MS = 500;
/** With less than this left of the lease it is prolonged before the next part is sent. */
const LEAST_SENDING_MS = 2_000;
/** Between two looks at the lease. */
const LONGEST_WAIT_MS = 1_000;

/**
 * @param unannounced - Is told of each post whose outcome may change what its guild's plan asks for.
 * @param pace - Is asked before each part but the first, and told of each that is sent.
 * @param waits - Is told what the time goes by with, and says why a post is late.
 */
export function newDelivery(
  ports: Ports,
  timing: Timing,
  life: Life,
  ledger: Ledger,
  halts: Halts,
  unannounced: (post: Post) => void,
  pace: Pace,
  waits: WaitRecords,
): Delivery {
  const { clock, store, random } = ports;

  async function send(claimed: Post, sink: Sink, messages: readonly ChatMessage[], fresh: boolean): Promise<void> {
    let post: Post | null = claimed;
    for (let part = post.delivered.length; part < messages.length; part = post.delivered.length) {
      const message = messages[part] as ChatMessage;
      post = await (part === claimed.delivered.length ? withLease(post) : withTurn(post));
      if (post === null) return;
      const untouched = fresh && part === 0;
      if (clock.now() > post.deadline) return overdue(post, untouched);
      if (life.stopping && untouched) return release(post, "dispatch was stopping", 0);
      const outcome = await attempt(post, sink, message, part);
      waits.spent(post, "RECEIVER_SLOW");
      if (outcome.kind === "rejected" && !fresh) return refusedInDoubt(post, outcome, sink);
      if (outcome.kind !== "sent") return afterFailure(post, outcome, untouched);
      post = { ...post, delivered: [...post.delivered, outcome.messageId] };
      if (part + 1 < messages.length) post = await store.hold(post.id, post.fence, timing.leaseMs, post.delivered);
      if (post === null) return;
    }
    await succeed(post);
  }

  /** The post with enough of its lease left to send; null when it is no longer ours. */
  async function withLease(post: Post): Promise<Post | null> {
    if (post.wakeAt - clock.now() >= LEAST_SENDING_MS) return post;
    const held = await store.hold(post.id, post.fence, timing.leaseMs, post.delivered);
    return held !== null && held.wakeAt - clock.now() >= LEAST_SENDING_MS ? held : null;
  }

  /** The post when it may send another part, still with its lease. */
  async function withTurn(post: Post): Promise<Post | null> {
    let held = await withLease(post);
    for (let wait = pace.furtherWait(post); wait > 0 && held !== null; wait = pace.furtherWait(post)) {
      if (life.stopping) return held;
      await life.sleep(Math.min(wait, LONGEST_WAIT_MS));
      waits.spent(post, "SINK_BUDGET");
      held = await withLease(held);
    }
    return held;
  }

  function attempt(post: Post, sink: Sink, message: ChatMessage, part: number): Promise<SendOutcome> {
    const timeoutMs = Math.min(timing.sendTimeoutMs, post.wakeAt - clock.now() - SETTLING_MS);
    pace.spend(post);
    return sink.send(outgoing(post, part, message), timeoutMs);
  }

  /**
   * An earlier attempt may have been taken before this one was refused. It is looked up as soon as absence says
   * something: what is not there is planned again, and refused for certain; what can't be looked up is `unknown`.
   */
  async function refusedInDoubt(post: Post, { reason, scope }: Refusal, sink: Sink): Promise<void> {
    const doubtful = `${reason}, after an attempt whose outcome is not known`;
    if (sink.find === undefined) return giveUp(post, doubtful, scope);
    await pause(post, doubtful, Math.max(0, nonceKnownUntil(post, sink, timing) + 1 - clock.now()));
  }

  async function afterFailure(
    post: Post,
    outcome: Exclude<SendOutcome, { kind: "sent" }>,
    untouched: boolean,
  ): Promise<void> {
    const { reason } = outcome;
    if (outcome.kind === "rejected") return fail(post, reason, untouched, outcome.scope);
    if (outcome.kind === "halted") halts.halt(post.sink, reason);
    const asked = outcome.kind === "halted" ? timing.haltMs : outcome.afterMs;
    if (outcome.kind === "retry" && asked > 0) ports.reports.waited(post.sink, "limit", asked);
    const certain = outcome.kind === "halted" || outcome.undelivered === true;
    const delayMs = retryDelay(post.attempts, asked, random.fraction());
    // What can't be sent any more is to be settled at its deadline, not later.
    const rejectIfLate = Math.max(0, Math.min(delayMs, post.deadline + 1 - clock.now()));
    await (certain && untouched ? release(post, reason, rejectIfLate) : pause(post, reason, rejectIfLate));
  }

  function overdue(post: Post, untouched: boolean): Promise<void> {
    const reason = post.reason ?? "its deadline passed while it was being sent";
    return untouched ? release(post, reason, 0) : pause(post, reason, 0);
  }

  async function succeed(post: Post): Promise<void> {
    const now = clock.now();
    const { delivered, dueAt } = post;
    const proof = { delivered, messageId: delivered[0], settledAt: now, lateMs: Math.max(0, now - dueAt) };
    const reason = waits.lateReason(post);
    await ledger.write(post, { state: "sent", ...proof, ...(reason !== undefined && { reason }), ...settled });
    waits.forget(post);
  }

  async function fail(post: Post, reason: string, certain: boolean, scope?: "channel" | "payload"): Promise<void> {
    const { delivered } = post;
    const doubt = certain ? {} : { doubtSince: post.doubtSince };
    const outcome = { state: "failed", reason, settledAt: clock.now(), delivered } as const;
    await ledger.write(post, { ...outcome, ...settled, ...doubt, ...suspension(post, scope) });
    waits.forget(post);
    unannounced(post);
  }

  async function giveUp(post: Post, reason: string, scope?: "channel" | "payload"): Promise<void> {
    const outcome = { state: "unknown", reason, settledAt: clock.now(), delivered: post.delivered } as const;
    await ledger.write(post, { ...outcome, ...settled, ...suspension(post, scope) });
    waits.forget(post);
    if (scope === "channel") unannounced(post);
  }

  async function release(post: Post, reason: string, delayMs: number): Promise<void> {
    const waited = waits.waited(post);
    await ledger.write(post, { state: "planned", reason, waited, wakeAt: clock.now() + delayMs, ...idle });
    unannounced(post);
  }

  async function pause(post: Post, reason: string, delayMs: number): Promise<void> {
    const { delivered } = post;
    const wakeAt = clock.now() + delayMs;
    const waited = waits.waited(post);
    await ledger.write(post, { state: "sending", reason, waited, wakeAt, delivered, owner: undefined });
  }

  return { send, succeed, fail, giveUp, release, pause };
}

/** Nobody works on it, and nothing is in doubt. */
const idle = { owner: undefined, attemptId: undefined, doubtSince: undefined };
const settled = { ...idle, waited: undefined };

/** What the channel refuses it will refuse again, until somebody changes the announcement. */
function suspension({ announcementRevision }: Post, scope?: "channel" | "payload"): Pick<PostWrite, "suspends"> {
  return scope === "channel" ? { suspends: announcementRevision } : {};
}
