import type { SinkName } from "../../../services/dispatch/domain/post/sink-name.ts";
import type {
  EditOutcome,
  Lookup,
  MessageEdit,
  MessageRemoval,
  OutgoingMessage,
  RemovalOutcome,
  SendOutcome,
} from "../../../services/dispatch/sinks/sink.ts";

/** A message in a channel. */
export interface VisibleMessage {
  readonly id: string;
  readonly sink: SinkName;
  readonly postId: string;
  readonly part: number;
  readonly channel: string;
  readonly nonce: string;
  readonly at: number;
  /** The instant at which the send of the message began. */
  readonly sentAt: number;
  /** Whether the message was sent without its embed. */
  readonly isPlain: boolean;
  /** What the message has shown, the first content first. */
  readonly contents: MessageContent[];
  /** When somebody or dispatch deleted it. */
  goneAt?: number;
  /** When dispatch deleted it. */
  removedAt?: number;
  /** The instants at which a replica got a response that says so. */
  readonly goneSaidAt: number[];
  /** The instants of the edits that came after it was deleted. */
  readonly editsWhenGone: number[];
}

interface MessageContent {
  readonly at: number;
  readonly content: string;
}

/** An attempt that was refused permanently. */
export interface RefusedAttempt {
  readonly postId: string;
  readonly at: number;
  readonly scope: "channel" | "payload";
  readonly reason: string;
}

/** The receivers of the sinks. Each is a chat server that drops doubles by their nonce for a limited time. */
export interface SimulatedReceiver {
  readonly visible: readonly VisibleMessage[];
  readonly refused: readonly RefusedAttempt[];
  accept(sink: SinkName, message: OutgoingMessage, sentAt: number): SendOutcome;
  refuse(message: OutgoingMessage, scope: RefusedAttempt["scope"], reason: string): SendOutcome;
  find(sink: SinkName, channel: string, nonce: string): Lookup;
  edit(edit: Pick<MessageEdit, "messageId" | "message">): EditOutcome;
  remove(removal: Pick<MessageRemoval, "messageId">): RemovalOutcome;
}

/** Longer than the time on which the sender relies, as at the real receiver. */
const NONCE_KNOWN_MS = 75_000;

export function newSimulatedReceiver(time: { readonly now: number }): SimulatedReceiver {
  const visible: VisibleMessage[] = [];
  const refused: RefusedAttempt[] = [];
  return {
    visible,
    refused,
    accept(sink, { postId, part, channel, nonce, message }, sentAt) {
      const known = visible.find(
        (other) => other.sink === sink && other.nonce === nonce && time.now - other.at < NONCE_KNOWN_MS,
      );
      if (known !== undefined) return { kind: "sent", messageId: known.id };
      const id = `m${visible.length + 1}`;
      const isPlain = message.embeds.length === 0;
      const contents = [{ at: time.now, content: message.content }];
      const shown = { id, sink, postId, part, channel, nonce, at: time.now, sentAt, isPlain };
      visible.push({ ...shown, contents, editsWhenGone: [], goneSaidAt: [] });
      return { kind: "sent", messageId: id };
    },
    refuse({ postId }, scope, reason) {
      refused.push({ postId, at: time.now, scope, reason });
      return { kind: "rejected", scope, reason };
    },
    edit({ messageId, message }) {
      const edited = visible.find(({ id }) => id === messageId);
      if (edited?.goneAt !== undefined) {
        edited.editsWhenGone.push(time.now);
        return { kind: "gone", reason: "Unknown Message" };
      }
      edited?.contents.push({ at: time.now, content: message.content });
      return { kind: "edited" };
    },
    remove({ messageId }) {
      const removed = visible.find(({ id }) => id === messageId);
      if (removed === undefined || removed.goneAt !== undefined) return { kind: "gone", reason: "Unknown Message" };
      removed.goneAt = removed.removedAt = time.now;
      return { kind: "removed" };
    },
    find(sink, channel, nonce) {
      const found = visible.find((one) => one.sink === sink && one.channel === channel && one.nonce === nonce);
      return found === undefined ? { kind: "absent" } : { kind: "found", messageId: found.id };
    },
  };
}
