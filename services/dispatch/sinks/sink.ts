import type { ChangeOrigin } from "../../contracts/contract.ts";
import type { ChatMessage } from "../domain/message/chat-message.ts";
import type { ChannelFinding } from "../domain/post/channel-finding.ts";
import type { SinkName } from "../domain/post/sink-name.ts";

/** One part of a post. It is delivered once, and only to a channel of its guild (D35). */
export interface OutgoingMessage {
  /** The post's id in the ledger: the same for every part and attempt. */
  readonly postId: string;
  /** Index of the part, from 0. */
  readonly part: number;
  /** At most 25 characters. The same for every attempt, different for every part of every post. */
  readonly nonce: string;
  readonly guildId: string;
  readonly channel: string;
  readonly message: ChatMessage;
  /** The request that last changed what the post is planned from, for its trace. It is not sent. */
  readonly changedBy?: ChangeOrigin;
}

/**
 * The outcome of one attempt.
 *
 * - `sent`: delivered; the receiver's id proves it.
 * - `retry`: not accepted now, or unknown because the response was lost. The same nonce may be sent again after `afterMs`.
 * - `rejected`: permanently refused for this channel or this payload.
 * - `halted`: nothing can be sent until an operator acts, for example because the token is invalid. The post stays planned.
 */
export type SendOutcome =
  | { readonly kind: "sent"; readonly messageId: string }
  | {
      readonly kind: "retry";
      readonly reason: string;
      readonly afterMs: number;
      /** True if certainly nothing was delivered, for example after a refused connection or a 429. */
      readonly undelivered?: boolean;
    }
  | { readonly kind: "rejected"; readonly scope: "channel" | "payload"; readonly reason: string }
  | { readonly kind: "halted"; readonly reason: string };

/** The new content of the first message of a post that was sent (D67). */
export interface MessageEdit extends Pick<OutgoingMessage, "postId" | "guildId" | "channel" | "message"> {
  /** The receiver's id of the message. */
  readonly messageId: string;
  /** The number of the edit, from 1; repeated attempts have the same one. */
  readonly edit: number;
  /** The request that last changed what the message shows, for the log. It is not sent. */
  readonly changedBy?: ChangeOrigin;
}

/**
 * The outcome of one attempt to edit a message. A repeated edit with the same content changes nothing, so that an attempt without
 * a response is repeated.
 *
 * - `edited`: the message has the content.
 * - `gone`: the message or its channel was deleted. It can never be edited again.
 * - The others are as those of a send.
 */
export type EditOutcome =
  | { readonly kind: "edited" }
  | { readonly kind: "gone"; readonly reason: string }
  | Exclude<SendOutcome, { readonly kind: "sent" }>;

/** A message of a post that is deleted (D68). */
export interface MessageRemoval extends Pick<OutgoingMessage, "postId" | "part" | "guildId" | "channel"> {
  /** The receiver's id of the message. */
  readonly messageId: string;
  /** As in `MessageEdit`. */
  readonly changedBy?: ChangeOrigin;
}

/**
 * The outcome of one attempt to delete a message. An attempt without a response is repeated.
 *
 * - `removed`: the receiver deleted it.
 * - `gone`: the message or its channel was deleted before.
 * - The others are as those of a send.
 */
export type RemovalOutcome = { readonly kind: "removed" } | Exclude<EditOutcome, { readonly kind: "edited" }>;

/** Result of a search for a message in its channel. */
export type Lookup =
  | { readonly kind: "found"; readonly messageId: string }
  /** Proves that the message was not delivered: it may be sent again. */
  | { readonly kind: "absent" }
  /** Proves nothing. */
  | {
      readonly kind: "unreachable";
      /** The receiver's reason, if it gives one. */
      readonly reason?: string;
    };

/** The receiver's knowledge of channels and guilds (D33, D35). */
export interface ReceiverChannels {
  /**
   * Reads the channel and the bot's permissions in it; undefined if they can't be read now. Checks have a small share of the
   * sink's requests, and wait for their turn within the timeout. Never throws.
   */
  check(guildId: string, channel: string, timeoutMs: number): Promise<ChannelFinding | undefined>;
  /** Whether the channel's guild is known without a request. */
  isKnown(channel: string): boolean;
  /** Records the finding of another replica that the channel belongs to the guild. */
  learn(guildId: string, channel: string): void;
  /** The guild's name, which branded posts show; undefined if it can't be read now. Never throws. */
  guildName(guildId: string, timeoutMs: number): Promise<string | undefined>;
}

/** The rate limits that the responses of the receiver have shown, of single channels and of all. `requestsPerSecond` is not one of them. */
export interface ChannelLimits {
  /** Milliseconds until the channel accepts another message; 0 if it does now. */
  waitMs(channel: string): number;
  /** Whether a limit of all channels, not one of a single channel, delays messages now. */
  isStopped(): boolean;
  /** Whether a limit of all channels may have ended: one post at a time tries it, as with a half-open circuit breaker. */
  isHalfOpen(): boolean;
}

/**
 * A destination of posts (D34), the only way out of the service. A sink responds within the timeout and never throws. The
 * ledger (the collection `posts`) and the nonce make sure that a post is delivered once.
 */
export interface Sink {
  readonly name: SinkName;
  send(message: OutgoingMessage, timeoutMs: number): Promise<SendOutcome>;
  /**
   * Searches the channel for the message, from its first attempt on. The text of `message` is the last known one; the sent text may
   * be an earlier version. A sink whose receiver can't be searched has no `find`.
   *
   * @param triedMsAgo - Milliseconds since the first attempt.
   */
  readonly find?: (message: OutgoingMessage, triedMsAgo: number, timeoutMs: number) => Promise<Lookup>;
  /** Replaces the content of a message without pings. Absent if the receiver cannot edit messages. */
  readonly edit?: (edit: MessageEdit, timeoutMs: number) => Promise<EditOutcome>;
  /** Deletes a message. Absent if the receiver cannot delete messages. */
  readonly remove?: (removal: MessageRemoval, timeoutMs: number) => Promise<RemovalOutcome>;
  /** How long the receiver certainly recognises a nonce and drops a duplicate; 60 000 when absent. */
  readonly nonceWindowMs?: number;
  /** The number of requests per second that this process may send now, at least 1; no limit when absent. */
  readonly requestsPerSecond?: () => number;
  /** Divides the requests per second by the number of processes that send, itself included. Absent without a limit. */
  readonly shareAmong?: (processes: () => number) => void;
  /** Absent if channels have no limits of their own. */
  readonly channelLimits?: ChannelLimits;
  /** Absent if the receiver knows no channels. */
  readonly channels?: ReceiverChannels;
  close(): Promise<void>;
}
