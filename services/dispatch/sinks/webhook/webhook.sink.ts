import { createHash } from "node:crypto";
import { type PrivateNetworks, privateNetworksSetting } from "../../../../mixins/http/private-networks.ts";
import { optionalSetting } from "../../../../mixins/settings/environment.ts";
import { VERSION } from "../../../contracts/version.ts";
import { headerNumber, retryAfterMs } from "../../../../mixins/http/retry-after.ts";
import { encodeMessage } from "../message-body.ts";
import { type HttpResult, httpClient } from "../../../../mixins/http/http-client.ts";
import type { MessageEdit, MessageRemoval, OutgoingMessage, SendOutcome, Sink } from "../sink.ts";
import { urlSetting } from "../url-setting.ts";
import { signatureHeaders } from "../../../../mixins/http/signature.ts";
import {
  guardedLookup,
  isAllowedLiteral,
  type ResolveAll,
  TARGET_REFUSED,
} from "../../../../mixins/http/target-guard.ts";

/** The settings of the sink `webhook`. */
export const webhookSettings = {
  WEBHOOK_URL: urlSetting("URL to which the sink `webhook` posts; https, unless the address is private", undefined),
  WEBHOOK_SECRET: optionalSetting(
    "Secret with which the requests of the sink `webhook` are signed",
    "whsec_ and the base64 of 24 to 64 bytes",
    /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/,
  ),
  WEBHOOK_ALLOW_PRIVATE: privateNetworksSetting(
    "The private, loopback and link-local addresses to which the sink `webhook` may post",
  ),
};

/** How long a receiver should remember ids, to drop repeats (sinks/README.md). */
const ID_WINDOW_MS = 24 * 3_600_000;

/** Only the status and the headers of a response are used. */
const MAX_RESPONSE_BYTES = 16 * 1024;

export interface WebhookSinkOptions {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly allowPrivate: PrivateNetworks;
  /** Unix milliseconds. A receiver refuses signatures of another time. */
  readonly wallClock?: () => number;
  /** Replaces the system's resolver. */
  readonly resolve?: ResolveAll;
}

/** Posts signed requests to the operator's URL (D34). Every attempt has the same id and body, so that repeats can be dropped. */
export function webhookSink({
  url,
  secret,
  allowPrivate,
  wallClock = () => Date.now(),
  resolve,
}: WebhookSinkOptions): Sink {
  const target = new URL(url);
  const lookup = guardedLookup(target.protocol, allowPrivate, resolve);
  const client = httpClient({ maxBodyBytes: MAX_RESPONSE_BYTES, lookup });

  async function post(id: string, body: string, timeoutMs: number): Promise<SendOutcome> {
    if (!isAllowedLiteral(target, allowPrivate)) return { kind: "halted", reason: TARGET_REFUSED };
    const headers = {
      ...signatureHeaders(id, Math.floor(wallClock() / 1_000), body, secret),
      "content-type": "application/json",
      "user-agent": `guildcal-webhook/${VERSION}`,
    };
    return outcomeOf(await client.exchange({ method: "POST", url: target, headers, body, timeoutMs }), id);
  }

  return {
    name: "webhook",
    nonceWindowMs: ID_WINDOW_MS,

    send: (message, timeoutMs) => post(webhookId(message), encodePost(message), timeoutMs),

    async edit(edit, timeoutMs) {
      const outcome = await post(editId(edit), encodeEdit(edit), timeoutMs);
      return outcome.kind === "sent" ? { kind: "edited" } : outcome;
    },

    async remove(removal, timeoutMs) {
      const outcome = await post(`${webhookId(removal)}:delete`, encodeRemoval(removal), timeoutMs);
      return outcome.kind === "sent" ? { kind: "removed" } : outcome;
    },

    close() {
      client.close();
      return Promise.resolve();
    },
  };
}

/** An idempotency key: the same for every attempt, different for every part. */
function webhookId({ postId, part }: Pick<OutgoingMessage, "postId" | "part">): string {
  return `${encodeURIComponent(postId).replaceAll("%3A", ":")}:${part}`;
}

/**
 * The idempotency key of an edit: the same for every attempt with the same content. An edit that was computed again after a lost
 * response has another key, so that a receiver does not drop it.
 */
function editId({ postId, edit, message }: MessageEdit): string {
  const content = createHash("sha256")
    .update(JSON.stringify(encodeMessage(message)))
    .digest("base64url")
    .slice(0, 12);
  return `${webhookId({ postId, part: 0 })}:edit:${edit}:${content}`;
}

/** The whole new message, in the form of a post. */
function encodeEdit({ postId, guildId, channel, edit, message }: MessageEdit): string {
  const data = {
    post_id: postId,
    part: 0,
    edit,
    guild_id: guildId,
    channel_id: channel,
    message: encodeMessage(message),
  };
  return JSON.stringify({ type: "announcement.edit", data });
}

/** Names the post and the part, which the request that posted the message had, too. */
function encodeRemoval({ postId, part, guildId, channel }: MessageRemoval): string {
  const data = { post_id: postId, part, guild_id: guildId, channel_id: channel };
  return JSON.stringify({ type: "announcement.delete", data });
}

/** The message has Discord's format, as in the sink `discord`. */
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

function outcomeOf(result: HttpResult, id: string): SendOutcome {
  if (result.kind === "noResponse") {
    if (result.reason === TARGET_REFUSED) return { kind: "halted", reason: TARGET_REFUSED };
    return { kind: "retry", reason: result.reason, afterMs: 0, undelivered: !result.mayHaveArrived };
  }
  const { status, headers } = result;
  const reason = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { kind: "sent", messageId: id };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(headerNumber(headers, "retry-after") ?? 0);
    return { kind: "retry", reason, afterMs, undelivered: status === 429 };
  }
  return isPayloadRefusal(status) ? { kind: "rejected", scope: "payload", reason } : { kind: "halted", reason };
}

/** Other refusals, for example a redirect, concern the URL and so every post. */
function isPayloadRefusal(status: number): boolean {
  return status === 400 || status === 409 || status === 413 || status === 422;
}
