import { unhandled } from "../../../../mixins/objects/unhandled.ts";
import type { MessageState } from "../../domain/post/message-state.ts";
import type { Sink } from "../../sinks/sink.ts";
import { type FollowedPost, POISON_CRASHES, type StepParts, type StepWrites } from "./step-writes.ts";

/**
 * Makes the step that deletes the messages of a post, whose row is claimed and whose instant has come (D68). A step deletes one
 * message, the last one first, and the next step the one before it. A message that is already gone counts as deleted, so that a step
 * whose outcome is not known is made again.
 *
 * @param next - The present state of the message.
 */
export function newMessageRemovals(
  { ports, pacing }: Pick<StepParts, "ports" | "pacing">,
  { requestTimeoutMs, write, end, tryLater }: StepWrites,
): (claimed: FollowedPost, next: MessageState, remove: NonNullable<Sink["remove"]>) => Promise<void> {
  const { clock, reports } = ports;

  async function removeMessage(
    claimed: FollowedPost,
    next: MessageState,
    remove: NonNullable<Sink["remove"]>,
  ): Promise<void> {
    const post = { ...claimed, message: begun(next) };
    const { deleted = 0, crashes } = post.message;
    if (post.crashes >= crashes + POISON_CRASHES) {
      return giveUp(post, `poison: ${POISON_CRASHES} workers vanished with it`);
    }
    const timeoutMs = requestTimeoutMs(post);
    if (timeoutMs <= 0) return;
    pacing.spend(post);
    const { id: postId, guildId, channel, delivered, changedBy } = post;
    const part = delivered.length - deleted - 1;
    const messageId = delivered[part] as string;
    const removal = { postId, part, guildId, channel, messageId, ...(changedBy && { changedBy }) };
    const outcome = await remove(removal, timeoutMs);
    if (outcome.kind === "removed" || outcome.kind === "gone") {
      return part > 0 ? removeBefore(post, deleted + 1) : end(post, "DELETED");
    }
    switch (outcome.kind) {
      case "rejected":
        return giveUp(post, outcome.reason);
      case "halted":
      case "retry":
        return tryLater(post, outcome, (reason) => giveUp(post, reason));
      default:
        unhandled(outcome);
    }
  }

  /** The message before the deleted ones is deleted by the next step. */
  function removeBefore(post: FollowedPost, deleted: number): Promise<void> {
    const message = { ...post.message, deleted, failures: undefined, crashes: post.crashes };
    return write(post, { message, stepDue: true, wakeAt: clock.now() });
  }

  /** The deletion is not tried again. */
  function giveUp(post: FollowedPost, reason: string): Promise<void> {
    reports.operationFailed("delete message", { post, reason });
    return end(post, "FAILED", `deletion failed: ${reason}`);
  }

  return removeMessage;
}

/** The failures of an edit before are not those of the deletion. */
function begun(message: MessageState): MessageState {
  return message.deleted === undefined ? { ...message, deleted: 0, failures: undefined } : message;
}
