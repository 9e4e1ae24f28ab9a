import type { EpochMs } from "../../../contracts/ids.ts";
import type { MessageStep } from "../../../contracts/posted-messages.ts";
import { type MessageState, nextStep, withStep } from "../../domain/post/message-state.ts";
import type { Post } from "../../domain/post/post.ts";
import { retryDelay } from "../../domain/post/retry-delay.ts";
import type { SendOutcome } from "../../sinks/sink.ts";
import type { Ports } from "../ports.ts";
import type { PostWrite } from "../post-store.ts";
import type { SendPacing } from "../scheduling/due-scheduler.ts";
import type { Timing } from "../timing.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { Ledger } from "./ledger.ts";

/** A sent post whose message is followed: it is edited, or deleted later. */
export type FollowedPost = Post & { readonly message: MessageState };

export interface StepParts {
  readonly ports: Ports;
  readonly timing: Timing;
  readonly ledger: Ledger;
  readonly circuitBreaker: CircuitBreaker;
  readonly pacing: SendPacing;
}

/** The ways in which a step of a sent message ends. */
export interface StepWrites {
  /** Time for a request of the claimed step. A worker that was frozen leaves the step to its successor: not above 0. */
  readonly requestTimeoutMs: (post: FollowedPost) => number;
  /** Ends the step, unless the row has been claimed again. */
  readonly write: (post: FollowedPost, outcome: PostWrite) => Promise<void>;
  /** Nothing is to do until the next change, or until the deletion. */
  readonly rest: (post: FollowedPost, next: MessageState) => Promise<void>;
  /** The message is not followed any more. */
  readonly end: (post: FollowedPost, step: MessageStep["step"], reason?: string) => Promise<void>;
  /** The state could not be read. The message shows what it did. */
  readonly readLater: (post: FollowedPost) => Promise<void>;
  /** The request failed, and is made again later or given up. What the message shows is not known until an attempt succeeds. */
  readonly tryLater: (
    post: FollowedPost,
    outcome: Extract<SendOutcome, { readonly kind: "retry" | "halted" }>,
    giveUp: (reason: string) => Promise<void>,
  ) => Promise<void>;
  /** The steps of the post with another one. */
  readonly stepsOf: (post: Post, step: Omit<MessageStep, "at">) => Pick<PostWrite, "steps">;
}

/** A step that ended this many workers is not made again (a poison message). */
export const POISON_CRASHES = 3;
/** Failed attempts of one step: about twenty minutes. */
const MAX_FAILURES = 30;
const MAX_RETRY_MS = 60_000;
/** Failed reads of the state that count as attempts: the pauses grow, and a long outage of the owners gives up no step. */
const MAX_COUNTED_READS = 10;
/** Time of the lease that is left for the write after a request. */
const SETTLE_RESERVE_MS = 500;

export function newStepWrites({ ports, timing, ledger, circuitBreaker }: StepParts): StepWrites {
  const { clock, random, store, reports } = ports;

  /** If a change came meanwhile, the outcome is stored, and the next step is due at once. */
  async function write(post: FollowedPost, outcome: PostWrite): Promise<void> {
    const ended = { stepDue: undefined, wakeAt: clock.now(), ...outcome, owner: undefined, attemptId: undefined };
    if ((await ledger.write(post, ended)) !== null) return;
    const row = await store.find(post);
    if (row === null || row.fence !== post.fence || row.planRevision === post.planRevision) return;
    const isFollowed = outcome.message !== undefined;
    await ledger.write(row, { ...ended, ...(isFollowed && { stepDue: true, wakeAt: clock.now() }) });
  }

  function stepsOf({ steps }: Post, step: Omit<MessageStep, "at">): Pick<PostWrite, "steps"> {
    return { steps: withStep(steps, { ...step, at: clock.now() }) };
  }

  function tryAt(post: FollowedPost, wakeAt: EpochMs, failures = post.message.failures): Promise<void> {
    return write(post, { message: { ...post.message, inDoubt: true, failures }, stepDue: true, wakeAt });
  }

  return {
    requestTimeoutMs: ({ wakeAt }) => Math.min(timing.sendTimeoutMs, wakeAt - clock.now() - SETTLE_RESERVE_MS),
    write,
    stepsOf,

    rest: (post, next) =>
      write(post, { message: { ...next, failures: undefined, crashes: post.crashes }, ...nextStep(next) }),

    end: (post, step, reason) =>
      write(post, { message: undefined, ...stepsOf(post, reason === undefined ? { step } : { step, reason }) }),

    readLater(post) {
      const failures = Math.min(MAX_COUNTED_READS, (post.message.failures ?? 0) + 1);
      const wakeAt = clock.now() + retryDelay(failures, random.fraction(), { maxMs: MAX_RETRY_MS });
      return write(post, { message: { ...post.message, failures }, stepDue: true, wakeAt });
    },

    tryLater(post, outcome, giveUp) {
      if (outcome.kind === "halted") {
        circuitBreaker.open(post.sink, outcome.reason);
        return tryAt(post, clock.now() + timing.circuitOpenMs);
      }
      const { afterMs, reason } = outcome;
      if (afterMs > 0) {
        reports.waited(post.sink, "limit", afterMs);
        return tryAt(post, clock.now() + retryDelay(1, random.fraction(), { minimumMs: afterMs }));
      }
      const failures = (post.message.failures ?? 0) + 1;
      if (failures >= MAX_FAILURES) return giveUp(reason);
      return tryAt(post, clock.now() + retryDelay(failures, random.fraction(), { maxMs: MAX_RETRY_MS }), failures);
    },
  };
}
