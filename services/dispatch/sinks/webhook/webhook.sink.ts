import { choiceSetting, optionalSetting } from "../../../../mixins/settings/environment.ts";
import { VERSION } from "../../../contracts/version.ts";
import { headerNumber, retryAfterMs } from "../retry-after.ts";
import { encodeMessage } from "../message-body.ts";
import { type HttpAnswer, httpClient } from "../http-client.ts";
import type { OutgoingMessage, SendOutcome, Sink } from "../sink.ts";
import { urlSetting } from "../url-setting.ts";
import { signatureHeaders } from "./signature.ts";
import { guardedLookup, isAllowedLiteral, type ResolveAll, TARGET_REFUSED } from "./target-guard.ts";

/** The settings of the sink `webhook`. */
export const webhookSettings = {
  WEBHOOK_URL: urlSetting("Where the sink `webhook` posts to; https, unless the address is private", undefined),
  WEBHOOK_SECRET: optionalSetting(
    "What its requests are signed with",
    "whsec_ and the base64 of 24 to 64 bytes",
    /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/,
  ),
  WEBHOOK_ALLOW_PRIVATE: choiceSetting("Whether it may post to private, loopback and link-local addresses", "no", [
    "no",
    "yes",
  ]),
};

/** For how long a receiver is to know an id that it has taken, and drop a repeat (sinks/README.md). */
const ID_WINDOW_MS = 24 * 3_600_000;

/** Of the receiver's answer only the status and a wait are used. */
const MAX_ANSWER_BYTES = 16 * 1024;

export interface WebhookSinkOptions {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly allowPrivate: boolean;
  /** Unix milliseconds: the receiver refuses a signature from another time. */
  readonly wallClock?: () => number;
  /** In place of the system's resolver. */
  readonly resolve?: ResolveAll;
}

/**
 * Posts to the operator's own URL (D34): signed, the same id and body at every attempt, so that the receiver can
 * drop a repeat.
 */
export function webhookSink({
  url,
  secret,
  allowPrivate,
  wallClock = () => Date.now(),
  resolve,
}: WebhookSinkOptions): Sink {
  const target = new URL(url);
  const lookup = guardedLookup(target.protocol, allowPrivate, resolve);
  const client = httpClient({ mostBytes: MAX_ANSWER_BYTES, lookup });
  return {
    name: "webhook",
    nonceWindowMs: ID_WINDOW_MS,

    async send(message, timeoutMs) {
      if (!isAllowedLiteral(target, allowPrivate)) return { kind: "halted", reason: TARGET_REFUSED };
      const id = idOf(message);
      const body = encodePost(message);
      const headers = {
        ...signatureHeaders(id, Math.floor(wallClock() / 1_000), body, secret),
        "content-type": "application/json",
        "user-agent": `guildcal-webhook/${VERSION}`,
      };
      return outcomeOf(await client.exchange({ method: "POST", url: target, headers, body, timeoutMs }), id);
    },

    close() {
      client.close();
      return Promise.resolve();
    },
  };
}

/** The idempotency key: the same for every attempt, different for every part. */
function idOf({ postId, part }: OutgoingMessage): string {
  return `${encodeURIComponent(postId).replaceAll("%3A", ":")}:${part}`;
}

/** The message is in Discord's terms, as that sink sends it. */
function encodePost({ postId, part, nonce, guildId, channel, message }: OutgoingMessage): string {
  const data = {
    post_id: postId,
    part,
    nonce,
    guild_id: guildId,
    channel_id: channel,
    message: encodeMessage(message),
  };
  return JSON.stringify({ type: "announcement.post", data });
}

function outcomeOf(answer: HttpAnswer, id: string): SendOutcome {
  if (answer.kind === "unanswered") {
    if (answer.reason === TARGET_REFUSED) return { kind: "halted", reason: TARGET_REFUSED };
    return { kind: "retry", reason: answer.reason, afterMs: 0, undelivered: !answer.mayHaveArrived };
  }
  const { status, headers } = answer;
  const reason = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { kind: "sent", messageId: id };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(headerNumber(headers, "retry-after") ?? 0);
    return { kind: "retry", reason, afterMs, undelivered: status === 429 };
  }
  return isAboutThePost(status) ? { kind: "rejected", scope: "payload", reason } : { kind: "halted", reason };
}

/** Every other refusal (a redirect, a key or a path that is not accepted) is about the URL, and meets every post. */
function isAboutThePost(status: number): boolean {
  return status === 400 || status === 409 || status === 413 || status === 422;
}
