import type { Lookup, OutgoingMessage, SendOutcome } from "../../services/dispatch/sink.ts";

/** A message as everybody in the channel sees it. */
export interface VisibleMessage {
  readonly id: string;
  readonly postId: string;
  readonly part: number;
  readonly channel: string;
  readonly nonce: string;
  readonly at: number;
  /** When the send that made it began. */
  readonly sentAt: number;
}

/** A chat server that drops doubles by their nonce for a while. */
export interface SimulatedReceiver {
  readonly visible: readonly VisibleMessage[];
  accept(message: OutgoingMessage, sentAt: number): SendOutcome;
  find(channel: string, nonce: string): Lookup;
}

/** Longer than the sender relies on, as with the real one. */
const NONCE_KNOWN_MS = 75_000;

export function newSimulatedReceiver(time: { readonly now: number }): SimulatedReceiver {
  const visible: VisibleMessage[] = [];
  return {
    visible,
    accept({ postId, part, channel, nonce }, sentAt) {
      const known = visible.find((message) => message.nonce === nonce && time.now - message.at < NONCE_KNOWN_MS);
      if (known !== undefined) return { kind: "sent", messageId: known.id };
      const id = `m${visible.length + 1}`;
      visible.push({ id, postId, part, channel, nonce, at: time.now, sentAt });
      return { kind: "sent", messageId: id };
    },
    find(channel, nonce) {
      const found = visible.find((message) => message.channel === channel && message.nonce === nonce);
      return found === undefined ? { kind: "absent" } : { kind: "found", messageId: found.id };
    },
  };
}
