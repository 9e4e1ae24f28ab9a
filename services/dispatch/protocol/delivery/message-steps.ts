import { unhandled } from "../../../../mixins/objects/unhandled.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { MessageStep } from "../../../contracts/posted-messages.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { withoutPings } from "../../domain/message/edited-message.ts";
import type { CompleteState } from "../../domain/plan/current-state.ts";
import { editsMessages, type MessageState, shownOccurrence, withStep } from "../../domain/post/message-state.ts";
import type { Post } from "../../domain/post/post.ts";
import { retryDelay } from "../../domain/post/retry-delay.ts";
import type { EditOutcome, Sink } from "../../sinks/sink.ts";
import type { Ports } from "../ports.ts";
import type { PostWrite } from "../post-store.ts";
import type { SendPacing } from "../scheduling/due-scheduler.ts";
import type { Timing } from "../timing.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { messageFingerprint, readShownOccurrence, stateFingerprint } from "./followed-state.ts";
import type { Ledger } from "./ledger.ts";
import { messageInput, tryRender } from "./message-input.ts";

/** A sent post whose message is edited. */
type EditedPost = Post & { readonly message: MessageState };

interface StepParts {
  readonly ports: Ports;
  readonly timing: Timing;
  readonly ledger: Ledger;
  readonly circuitBreaker: CircuitBreaker;
  readonly pacing: SendPacing;
}

/** What the message has to show now. */
interface Wanted {
  readonly step: "EDITED" | "CANCELLED";
  readonly message: ChatMessage;
  /** The state of the message once it shows that. */
  readonly next: MessageState;
}

/** Why the message cannot be made from the present state. */
interface NotRendered {
  readonly step: "FAILED";
  readonly reason: string;
  readonly next: MessageState;
}

/** Failed attempts of one step: about twenty minutes. */
const MAX_FAILURES = 30;
const MAX_RETRY_MS = 60_000;
/** A step that ended this many workers is not made again (a poison message). */
const POISON_CRASHES = 3;
/** Failed reads of the state that count as attempts: the pauses grow, and a long outage of the owners gives up no step. */
const MAX_COUNTED_READS = 10;
/** Time of the lease that is left for the write after a request. */
const SETTLE_RESERVE_MS = 500;
/**
 * After a step whose worker vanished or was frozen the message is edited once more: the request of that worker may arrive behind the
 * one of its successor.
 */
const REPEAT_AFTER_MS = 30_000;

/**
 * Makes the step that is due of a sent post (D67): reads the current state under a claim of the row, and edits the message if it shows
 * something else. An edit is idempotent, so that a step whose outcome is not known is made again.
 */
export function newMessageSteps(parts: StepParts): (post: Post, sink: Sink | undefined) => Promise<void> {
  const { ports, timing, ledger, circuitBreaker, pacing } = parts;
  const { clock, random, replicas, store, owners, reports } = ports;

  async function makeStep(post: Post, sink: Sink | undefined): Promise<void> {
    const { id, guildId, fence } = post;
    const claim = { id, guildId, fence, owner: replicas.self, attemptId: random.id(), leaseMs: timing.leaseMs };
    const taken = await store.takeOver({ ...claim, state: "sent" });
    if (taken === null || !isEdited(taken)) return;
    if (sink?.edit === undefined) return end(taken, "DROPPED", `the sink ${post.sink} cannot edit it`);
    const wanted = await readWanted(taken, sink).catch((error: unknown) => {
      reports.operationFailed("read the state of a message", { post: id, error });
      return undefined;
    });
    const isOver = clock.now() > taken.message.until + timing.graceMs;
    if (wanted === undefined) {
      if (isOver) return giveUp(taken, taken.message, "its event or announcement could not be read");
      return readLater(taken);
    }
    if (wanted === "nothing") return;
    if (wanted.step === "FAILED") return giveUp(taken, wanted.next, wanted.reason);
    const isInterrupted = taken.crashes > post.crashes;
    const isShown = taken.message.shown === messageFingerprint(wanted.message);
    if (isShown && !isInterrupted && taken.message.inDoubt === undefined) return rest(taken, wanted.next);
    if (isOver) return giveUp(taken, wanted.next, "the event was over before the message could be edited");
    if (taken.crashes >= taken.message.crashes + POISON_CRASHES) {
      return giveUp(taken, wanted.next, `poison: ${POISON_CRASHES} workers vanished with it`);
    }
    await request(taken, sink.edit, wanted, isInterrupted);
  }

  async function request(
    post: EditedPost,
    edit: NonNullable<Sink["edit"]>,
    wanted: Wanted,
    isInterrupted: boolean,
  ): Promise<void> {
    // A worker that was frozen leaves the step to its successor.
    const timeoutMs = Math.min(timing.sendTimeoutMs, post.wakeAt - clock.now() - SETTLE_RESERVE_MS);
    if (timeoutMs <= 0) return;
    pacing.spend(post);
    const { id: postId, guildId, channel, messageId = "", message } = post;
    const change = { postId, guildId, channel, messageId, edit: message.edits + 1, message: wanted.message };
    await settle(post, wanted, await edit(change, timeoutMs), isInterrupted);
  }

  /** Reads the current state. Resolves to "nothing" if the step has ended, because the announcement does not edit the message now. */
  async function readWanted(post: EditedPost, sink: Sink): Promise<Wanted | NotRendered | "nothing"> {
    const { guildId, announcementId, message } = post;
    const [announcement, occurrence, settings] = await Promise.all([
      owners.announcement(guildId, announcementId),
      readShownOccurrence(owners, guildId, message),
      owners.settings(guildId),
    ]);
    if (announcement === null) {
      await write(post, { message: undefined });
      return "nothing";
    }
    const state = stateFingerprint(announcement, occurrence, settings);
    const next = { ...message, state };
    if (!editsMessages(announcement)) {
      await rest(post, next);
      return "nothing";
    }
    if (occurrence === null) {
      const { occurrenceId, title } = message;
      const cancelled = ports.renderCancelled({ announcement, settings, occurrenceId, title });
      return { step: "CANCELLED", message: cancelled, next };
    }
    const input = await messageInput(post, sink, { announcement, occurrence, settings });
    const followed = { ...next, ...shownOccurrence(occurrence, clock.now()) };
    const messages = tryRender(ports, input);
    if (messages instanceof Error) return { step: "FAILED", reason: messages.message, next: followed };
    const edited = withoutPings(messages[0] as ChatMessage);
    const title = edited.embeds[0]?.title ?? message.title;
    return { step: "EDITED", message: edited, next: { ...followed, title } };
  }

  async function settle(
    post: EditedPost,
    { step, message, next }: Wanted,
    outcome: EditOutcome,
    isInterrupted: boolean,
  ): Promise<void> {
    switch (outcome.kind) {
      case "edited":
        return settleEdited(post, step, { ...next, shown: messageFingerprint(message) }, isInterrupted);
      case "gone":
        return end(post, "GONE", outcome.reason);
      case "rejected":
        return giveUp(post, next, outcome.reason);
      case "halted":
        circuitBreaker.open(post.sink, outcome.reason);
        return tryLater(post, clock.now() + timing.circuitOpenMs);
      case "retry": {
        const { afterMs, reason } = outcome;
        if (afterMs > 0) {
          reports.waited(post.sink, "limit", afterMs);
          return tryLater(post, clock.now() + retryDelay(1, random.fraction(), { minimumMs: afterMs }));
        }
        const failures = (post.message.failures ?? 0) + 1;
        if (failures >= MAX_FAILURES) return giveUp(post, next, reason);
        return tryLater(post, clock.now() + retryDelay(failures, random.fraction(), { maxMs: MAX_RETRY_MS }), failures);
      }
      default:
        unhandled(outcome);
    }
  }

  /** A repeated edit with the same content is no step of the history. */
  function settleEdited(
    post: EditedPost,
    step: Wanted["step"],
    next: MessageState,
    isInterrupted: boolean,
  ): Promise<void> {
    const isNew = next.shown !== post.message.shown;
    const edits = next.edits + (isNew ? 1 : 0);
    const inDoubt = isInterrupted ? true : undefined;
    return write(post, {
      message: { ...next, edits, inDoubt, failures: undefined, crashes: post.crashes },
      ...(isNew && stepsOf(post, { step })),
      ...(isInterrupted && { stepDue: true, wakeAt: clock.now() + REPEAT_AFTER_MS }),
    });
  }

  /** The message shows what it did. */
  function readLater(post: EditedPost): Promise<void> {
    const failures = Math.min(MAX_COUNTED_READS, (post.message.failures ?? 0) + 1);
    const wakeAt = clock.now() + retryDelay(failures, random.fraction(), { maxMs: MAX_RETRY_MS });
    return write(post, { message: { ...post.message, failures }, stepDue: true, wakeAt });
  }

  /** What the message shows is not known until an attempt succeeds. */
  function tryLater(post: EditedPost, wakeAt: EpochMs, failures = post.message.failures): Promise<void> {
    return write(post, { message: { ...post.message, inDoubt: true, failures }, stepDue: true, wakeAt });
  }

  /** The step is not tried again. A later change makes another one. */
  function giveUp(post: EditedPost, next: MessageState, reason: string): Promise<void> {
    reports.operationFailed("edit message", { post: post.id, reason });
    const message = { ...next, inDoubt: true, failures: undefined, crashes: post.crashes } as const;
    return write(post, { message, ...stepsOf(post, { step: "FAILED", reason: `edit failed: ${reason}` }) });
  }

  /** The message is not edited any more. */
  function end(post: EditedPost, step: "GONE" | "DROPPED", reason: string): Promise<void> {
    return write(post, { message: undefined, ...stepsOf(post, { step, reason }) });
  }

  /** Nothing is to do until the next change. */
  function rest(post: EditedPost, next: MessageState): Promise<void> {
    return write(post, { message: { ...next, failures: undefined, crashes: post.crashes } });
  }

  function stepsOf({ steps }: Post, step: Omit<MessageStep, "at">): Pick<PostWrite, "steps"> {
    return { steps: withStep(steps, { ...step, at: clock.now() }) };
  }

  /**
   * Ends the step, unless the row has been claimed again. If a change came meanwhile, the outcome is stored, and the next step is due
   * at once.
   */
  async function write(post: EditedPost, outcome: PostWrite): Promise<void> {
    const ended = { stepDue: undefined, wakeAt: clock.now(), ...outcome, owner: undefined, attemptId: undefined };
    if ((await ledger.write(post, ended)) !== null) return;
    const row = await store.find(post);
    if (row === null || row.fence !== post.fence || row.planRevision === post.planRevision) return;
    const isFollowed = outcome.message !== undefined;
    await ledger.write(row, { ...ended, ...(isFollowed && { stepDue: true, wakeAt: clock.now() }) });
  }

  return makeStep;
}

function isEdited(post: Post): post is EditedPost {
  return post.message !== undefined;
}

/** The state of a post that is sent now; undefined if its announcement keeps its messages, or if the sink cannot edit them. */
export function newMessageState(
  { announcement, occurrence, settings }: CompleteState,
  [first]: readonly ChatMessage[],
  { edit }: Pick<Sink, "edit">,
  now: EpochMs,
): MessageState | undefined {
  if (!editsMessages(announcement) || edit === undefined || first === undefined) return undefined;
  return {
    ...shownOccurrence(occurrence, now),
    title: first.embeds[0]?.title ?? "",
    shown: messageFingerprint(first),
    state: stateFingerprint(announcement, occurrence, settings),
    edits: 0,
    crashes: 0,
  };
}
