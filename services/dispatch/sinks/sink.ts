import type { ChangeOrigin } from "../../contracts/contract.ts";
import type { ChannelFinding } from "../domain/post/channel-finding.ts";
import type { ChatMessage } from "../domain/message/chat-message.ts";

/** One part of a post, to be delivered once, and only in a channel of its guild (D35). */
export interface OutgoingMessage {
  /** The ledger's key of the post: the same for every part and attempt. */
  readonly postId: string;
  /** Counts the parts of a long message, from 0. */
  readonly part: number;
  /** At most 25 characters; the same for every attempt, different for every part of every post. */
  readonly nonce: string;
  readonly guildId: string;
  readonly channel: string;
  readonly message: ChatMessage;
  /** The request that the post is because of, for its trace; no sink tells it. */
  readonly changedBy?: ChangeOrigin;
}

/**
 * What became of one attempt.
 *
 * - `sent`: delivered; the receiver's id is the proof.
 * - `retry`: not now, or nobody knows (a lost answer): the same nonce may be sent again, not before `afterMs`.
 * - `rejected`: never, for this channel or for this payload.
 * - `halted`: nothing at all can be sent until an operator acts (a bad token, say); the post stays planned.
 */
export type SendOutcome =
  | { readonly kind: "sent"; readonly messageId: string }
  | {
      readonly kind: "retry";
      readonly reason: string;
      readonly afterMs: number;
      /** True when nothing was delivered for certain (a refused connection, a 429): then nothing is in doubt. */
      readonly undelivered?: boolean;
    }
  | { readonly kind: "rejected"; readonly scope: "channel" | "payload"; readonly reason: string }
  | { readonly kind: "halted"; readonly reason: string };

/** What a look among a channel's messages showed. */
export type Lookup =
  | { readonly kind: "found"; readonly messageId: string }
  | { readonly kind: "absent" }
  | {
      readonly kind: "unreachable";
      /** Why nobody can look, where the receiver says it. */
      readonly reason?: string;
    };

/** What a sink can find out about channels and guilds beside posting (D33, D35). */
export interface ChannelChecks {
  /**
   * Reads the channel and what the bot may do in it; undefined when that can't be known now. It waits for a place in a
   * small part of the sink's requests, within its time-out, and never throws.
   */
  check(guildId: string, channel: string, timeoutMs: number): Promise<ChannelFinding | undefined>;
  /** Whether a post in the channel needs no question whose it is. */
  isKnown(channel: string): boolean;
  /** Another replica has found out that the channel is the guild's. */
  learn(guildId: string, channel: string): void;
  /** The guild's name, which branded posts show; undefined when it can't be known now. Never throws. */
  guildName(guildId: string, timeoutMs: number): Promise<string | undefined>;
}

/** What the receiver's answers have told of what it takes; `requestsPerSecond` is not counted in. */
export interface ChannelLimits {
  /** Milliseconds until it takes another message in this channel; 0 when it does now. */
  wait(channel: string): number;
  /** Whether it takes nothing in any channel now. */
  isStopped(): boolean;
  /** Whether it had limited everything, and nobody knows yet that this is over: then one post tries at a time. */
  onTrial(): boolean;
}

/**
 * Where posts go (D34), the only way out of the service. A sink promises to answer within the time-out and never to
 * throw. It does not promise to send once: that is the ledger's work, with the nonce.
 */
export interface Sink {
  readonly name: "log" | "discord" | "webhook";
  send(message: OutgoingMessage, timeoutMs: number): Promise<SendOutcome>;
  /**
   * Looks whether the message is in its channel, among what came since it may have been sent first, `triedMsAgo`. Its
   * text is the last that is known: what was sent may have been an earlier version. Absent where nobody can look.
   */
  readonly find?: (message: OutgoingMessage, triedMsAgo: number, timeoutMs: number) => Promise<Lookup>;
  /** For how long the receiver surely knows a nonce, and drops a double; 60 000 when absent. */
  readonly nonceWindowMs?: number;
  /** Most requests a second; no limit when absent. */
  readonly requestsPerSecond?: number;
  /** Absent where channels have no limits of their own. */
  readonly channelLimits?: ChannelLimits;
  /** Absent where channels are not the receiver's to know. */
  readonly channels?: ChannelChecks;
  close(): Promise<void>;
}
