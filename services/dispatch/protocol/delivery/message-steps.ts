import { unhandled } from "../../../../mixins/objects/unhandled.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { withoutPings } from "../../domain/message/edited-message.ts";
import type { CompleteState } from "../../domain/plan/current-state.ts";
import {
  editsMessages,
  type MessageState,
  nextStep,
  shownFormerOccurrence,
  shownOccurrence,
} from "../../domain/post/message-state.ts";
import { changedByOf } from "../../domain/post/changed-by.ts";
import type { Post } from "../../domain/post/post.ts";
import type { EditOutcome, Sink } from "../../sinks/sink.ts";
import { messageFingerprint, readShownOccurrence, stateFingerprint } from "./followed-state.ts";
import { messageInput, tryRender } from "./message-input.ts";
import { newMessageRemovals } from "./message-removals.ts";
import { type FollowedPost, newStepWrites, POISON_CRASHES, type StepParts } from "./step-writes.ts";

/** The request of the last change that the step follows. */
interface Caused {
  readonly origin: Pick<Post, "changedBy">;
}

/** What the message has to show now. */
interface Wanted extends Caused {
  readonly step: "EDITED" | "CANCELLED";
  readonly message: ChatMessage;
  /** The state of the message once it shows that. */
  readonly next: MessageState;
}

/** Why the message cannot be made from the present state. */
interface NotRendered extends Caused {
  readonly step: "FAILED";
  readonly reason: string;
  readonly next: MessageState;
}

/** The instant of the deletion has come. */
interface Removal extends Caused {
  readonly step: "DELETED";
  readonly next: MessageState;
}

/**
 * After a step whose worker vanished or was frozen the message is edited once more: the request of that worker may arrive behind the
 * one of its successor.
 */
const REPEAT_AFTER_MS = 30_000;

/**
 * Makes the step that is due of a sent post (D67, D68): reads the current state under a claim of the row, and deletes the messages
 * if their instant has come, or edits the message if it shows something else. Both are idempotent, so that a step whose outcome is not
 * known is made again.
 */
export function newMessageSteps(parts: StepParts): (post: Post, sink: Sink | undefined) => Promise<void> {
  const { ports, timing, pacing } = parts;
  const { clock, random, replicas, store, owners, reports } = ports;
  const writes = newStepWrites(parts);
  const { requestTimeoutMs, write, rest, end, readLater, tryLater, stepsOf } = writes;
  const removeMessage = newMessageRemovals(parts, writes);

  async function makeStep(post: Post, sink: Sink | undefined): Promise<void> {
    const { id, guildId, fence } = post;
    const claim = { id, guildId, fence, owner: replicas.self, attemptId: random.id(), leaseMs: timing.leaseMs };
    const taken = await store.takeOver({ ...claim, state: "sent" });
    if (taken === null || !isFollowed(taken)) return;
    if (sink?.edit === undefined && sink?.remove === undefined) {
      return end(taken, "DROPPED", `the sink ${post.sink} cannot edit it`);
    }
    const wanted = await readWanted(taken, sink).catch((error: unknown) => {
      reports.operationFailed("read the state of a message", { post: taken, error });
      return undefined;
    });
    const isOver = clock.now() > taken.message.until + timing.graceMs;
    if (wanted === undefined) {
      // A deletion waits for the owners without end.
      if (isOver && taken.message.deleteAt === undefined) {
        return giveUp(taken, taken.message, "its event or announcement could not be read");
      }
      return readLater(taken);
    }
    if (wanted === "nothing") return;
    const { next } = wanted;
    const step = causedBy(taken, wanted);
    if (wanted.step === "DELETED") return removeMessage(step, next, sink.remove!);
    if (wanted.step === "FAILED") return giveUp(step, next, wanted.reason);
    const isInterrupted = step.crashes > post.crashes;
    const isShown = step.message.shown === messageFingerprint(wanted.message);
    if (isShown && !isInterrupted && step.message.inDoubt === undefined) return rest(step, next);
    if (isOver && next.deleteAt === undefined) {
      return giveUp(step, next, "the event was over before the message could be edited");
    }
    if (step.crashes >= step.message.crashes + POISON_CRASHES) {
      return giveUp(step, next, `poison: ${POISON_CRASHES} workers vanished with it`);
    }
    await request(step, sink.edit!, wanted, isInterrupted);
  }

  async function request(
    post: FollowedPost,
    edit: NonNullable<Sink["edit"]>,
    wanted: Wanted,
    isInterrupted: boolean,
  ): Promise<void> {
    const timeoutMs = requestTimeoutMs(post);
    if (timeoutMs <= 0) return;
    pacing.spend(post);
    const { id: postId, guildId, channel, messageId = "", changedBy } = post;
    const edition = { edit: post.message.edits + 1, message: wanted.message };
    const change = { postId, guildId, channel, messageId, ...edition, ...(changedBy && { changedBy }) };
    await settle(post, wanted, await edit(change, timeoutMs), isInterrupted);
  }

  /** Reads the current state. Resolves to "nothing" if the step has ended, because the announcement does not edit the message now. */
  async function readWanted(post: FollowedPost, sink: Sink): Promise<Wanted | NotRendered | Removal | "nothing"> {
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
    const now = clock.now();
    const cleanUp = sink.remove && announcement.cleanUp;
    const shown =
      occurrence === null ? shownFormerOccurrence(message, now, cleanUp) : shownOccurrence(occurrence, now, cleanUp);
    const followed = { ...message, ...shown, state: stateFingerprint(announcement, occurrence, settings) };
    const origin = changedByOf({ announcement, occurrence });
    if (isDue(followed, now)) return { step: "DELETED", next: followed, origin };
    // An event that was moved after some of its messages were deleted keeps the others.
    const next = { ...followed, deleted: undefined };
    if (!editsMessages(announcement) || sink.edit === undefined) {
      await rest(post, next);
      return "nothing";
    }
    if (occurrence === null) {
      const { occurrenceId, title } = message;
      const cancelled = ports.renderCancelled({ announcement, settings, occurrenceId, title });
      return { step: "CANCELLED", message: cancelled, next, origin };
    }
    const input = await messageInput(post, sink, { announcement, occurrence, settings });
    const messages = tryRender(ports, input);
    if (messages instanceof Error) return { step: "FAILED", reason: messages.message, next, origin };
    const edited = withoutPings(messages[0] as ChatMessage);
    const title = edited.embeds[0]?.title ?? message.title;
    return { step: "EDITED", message: edited, next: { ...next, title }, origin };
  }

  async function settle(
    post: FollowedPost,
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
      case "retry":
        return tryLater(post, outcome, (reason) => giveUp(post, next, reason));
      default:
        unhandled(outcome);
    }
  }

  /** A repeated edit with the same content is no step of the history. */
  function settleEdited(
    post: FollowedPost,
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
      ...nextStep(next),
      ...(isInterrupted && { stepDue: true, wakeAt: clock.now() + REPEAT_AFTER_MS }),
    });
  }

  /** The edit is not tried again. A later change makes another one. */
  function giveUp(post: FollowedPost, next: MessageState, reason: string): Promise<void> {
    reports.operationFailed("edit message", { post, reason });
    const message = { ...next, inDoubt: true, failures: undefined, crashes: post.crashes } as const;
    const steps = stepsOf(post, { step: "FAILED", reason: `edit failed: ${reason}` });
    return write(post, { message, ...steps, ...nextStep(next) });
  }

  return makeStep;
}

function isFollowed(post: Post): post is FollowedPost {
  return post.message !== undefined;
}

/** The post with the request of the step in place of that of its send. */
function causedBy({ changedBy: _, ...post }: FollowedPost, { origin }: Caused): FollowedPost {
  return { ...post, ...origin };
}

/** Whether the messages of the post are to be deleted now. */
function isDue({ deleteAt }: MessageState, now: EpochMs): boolean {
  return deleteAt !== undefined && deleteAt <= now;
}

/** The state of a post that is sent now; undefined if its messages stay as they are, or if the sink can neither edit nor delete them. */
export function newMessageState(
  { announcement, occurrence, settings }: CompleteState,
  [first]: readonly ChatMessage[],
  { edit, remove }: Pick<Sink, "edit" | "remove">,
  now: EpochMs,
): MessageState | undefined {
  const cleanUp = remove && announcement.cleanUp;
  const isEdited = edit !== undefined && editsMessages(announcement);
  if ((!isEdited && cleanUp === undefined) || first === undefined) return undefined;
  return {
    ...shownOccurrence(occurrence, now, cleanUp),
    title: first.embeds[0]?.title ?? "",
    shown: messageFingerprint(first),
    state: stateFingerprint(announcement, occurrence, settings),
    edits: 0,
    crashes: 0,
  };
}
