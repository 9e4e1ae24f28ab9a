import { setTimeout } from "node:timers/promises";
import { VERSION } from "../../../contracts/version.ts";
import { recentAttempts } from "./recent-attempts.ts";
import { parseResponseBody } from "./response-body.ts";
import { DELETED_MESSAGE, editOutcomeOf, outcomeOf, removalOutcomeOf } from "./response-outcome.ts";
import { channelDirectory, type DiscordGet } from "./channel-directory.ts";
import { guildRefusals } from "./guild-refusals.ts";
import { encodeMessage } from "../message-body.ts";
import { type RateLimitBucket, rateLimits } from "./rate-limits.ts";
import { emptyListLookup, findSentMessage, PAGE_SIZE } from "./recent-messages.ts";
import { refusalOf } from "../../domain/post/channel-finding.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { toPlainText } from "../../domain/message/plain-text.ts";
import { type HttpResult, httpClient, type HttpRequest } from "../../../../mixins/http/http-client.ts";
import type {
  EditOutcome,
  Lookup,
  MessageEdit,
  MessageRemoval,
  OutgoingMessage,
  RemovalOutcome,
  SendOutcome,
  Sink,
} from "../sink.ts";
import { slidingWindow } from "../sliding-window.ts";

/** A list of 100 messages with full embeds is smaller. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Pause after a response that needs an operator's action, such as a wrong token. */
const HALT_MS = 60_000;
const WAS_DELETED = "it was deleted before its id was known";
/** Part of the requests per second for channel checks; posts have the rest. */
const CHECKS_PART = 1 / 10;

export interface DiscordSinkOptions {
  readonly token: string;
  readonly apiUrl: string;
  readonly botUrl: string;
  /** Of all processes with the same token. */
  readonly requestsPerSecond: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Posts to Discord's API (D34). A send is one request; a second one follows as plain text if the embed is refused, and one
 * comes before if it is not known to which guild the channel belongs. A send never waits for a rate limit: it returns
 * `retry` with the wait, so that the caller keeps to the deadline of the post.
 */
export function discordSink({
  token,
  apiUrl,
  botUrl,
  requestsPerSecond,
  now = () => performance.now(),
}: DiscordSinkOptions): Sink {
  const client = httpClient({ maxBodyBytes: MAX_RESPONSE_BYTES });
  let processes = () => 1;
  const share = () => Math.max(1, Math.floor(requestsPerSecond / processes()));
  const limits = rateLimits(share);
  const checksPerSecond = () => Math.max(1, Math.floor(share() * CHECKS_PART));
  const checks = slidingWindow(checksPerSecond, 1_000);
  const attempts = recentAttempts();
  const refusals = guildRefusals();
  const directory = channelDirectory(readBotId, now);
  /** The bot's own user id; read when it is first needed. */
  let botId: string | undefined;
  let halt = { until: -Infinity, reason: "" };
  const headers = {
    authorization: `Bot ${token}`,
    "user-agent": `DiscordBot (${botUrl}, ${VERSION})`,
    accept: "application/json",
  };

  /** Sends the request, unless a rate limit forbids it. */
  async function exchange(bucket: RateLimitBucket, request: Omit<HttpRequest, "headers">): Promise<Attempt> {
    const afterMs = limits.waitMs(bucket, now());
    if (afterMs > 0) return { kind: "limited", afterMs };
    const onResult = limits.startRequest(bucket, now());
    const contentType = request.body === undefined ? {} : { "content-type": "application/json" };
    const result = await client.exchange({ ...request, headers: { ...headers, ...contentType } });
    return { kind: "made", result, afterMs: onResult(result, now()) };
  }

  async function readBotId(timeoutMs: number): Promise<string | undefined> {
    if (botId !== undefined) return botId;
    const attempt = await get({ route: "me", channel: "" }, ["users", "@me"], timeoutMs / 3);
    if (attempt.kind === "made" && attempt.result.kind === "response" && attempt.result.status === 200) {
      botId = parseResponseBody(attempt.result.body)?.id;
    }
    return botId;
  }

  function get(bucket: RateLimitBucket, path: readonly string[], timeoutMs: number): Promise<Attempt> {
    return exchange(bucket, { method: "GET", url: pathUrl(apiUrl, ...path), timeoutMs });
  }

  /** For checks of channels, which may wait: no deadline of a post depends on them. */
  const getForCheck: DiscordGet = async (bucket, path, timeoutMs) => {
    const waitMs = () => Math.max(checks.waitMs(now()), limits.waitMs(bucket, now()));
    if (waitMs() > timeoutMs) return { kind: "limited", afterMs: waitMs() };
    // A timer may fire early.
    if (waitMs() > 0) await setTimeout(Math.ceil(waitMs()) + 1, undefined, { ref: false });
    if (waitMs() > 0) return { kind: "limited", afterMs: waitMs() };
    checks.add(now());
    return get(bucket, path, timeoutMs);
  };

  /** Undefined if the channel belongs to the guild, otherwise the post's outcome. */
  async function channelRefusal({ guildId, channel }: OutgoingMessage, timeoutMs: number) {
    const found = await directory.ownership(guildId, channel, get, timeoutMs);
    if (found.kind === "retry" || found.kind === "halted") return found;
    if (found.kind === "unreachable") refusals.add(guildId, now());
    const refusal = refusalOf(found);
    return refusal && ({ kind: "rejected", scope: "channel", reason: refusal.message } as const);
  }

  async function post(
    { guildId, channel, nonce }: OutgoingMessage,
    message: ChatMessage,
    timeoutMs: number,
  ): Promise<SendOutcome> {
    const encoded = encodeMessage(message);
    attempts.record(nonce, encoded);
    const body = JSON.stringify({ ...encoded, nonce, enforce_nonce: true });
    const url = pathUrl(apiUrl, "channels", channel, "messages");
    const attempt = await exchange({ route: "create", channel }, { method: "POST", url, body, timeoutMs });
    if (attempt.kind === "limited")
      return { kind: "retry", reason: "rate limit", afterMs: attempt.afterMs, undelivered: true };
    if (attempt.result.kind === "response" && attempt.result.status === 403) refusals.add(guildId, now());
    return outcomeOf(attempt.result, attempt.afterMs);
  }

  /** Sends plain text if the embed was refused in an earlier attempt, or is refused now. */
  async function deliver(outgoing: OutgoingMessage, until: number): Promise<SendOutcome> {
    const { nonce, message } = outgoing;
    const timeoutMs = until - now();
    if (timeoutMs <= 0) return OUT_OF_TIME;
    const isPlain = attempts.isEmbedRefused(nonce);
    const first = await post(outgoing, isPlain ? toPlainText(message) : message, timeoutMs);
    const isEmbedRefused = first.kind === "rejected" && first.scope === "payload" && message.embeds.length > 0;
    if (isPlain || !isEmbedRefused) return first;
    attempts.markEmbedRefused(nonce);
    const left = until - now();
    // The lease may be over, and another replica may have taken the post over.
    if (left <= 0) return OUT_OF_TIME;
    return post(outgoing, toPlainText(message), left);
  }

  async function patch(
    { guildId, channel, messageId }: MessageEdit,
    message: ChatMessage,
    timeoutMs: number,
  ): Promise<EditOutcome> {
    // Without `content` and `embeds` an edit leaves what the message has.
    const body = JSON.stringify({ content: "", embeds: [], ...encodeMessage(message) });
    const url = pathUrl(apiUrl, "channels", channel, "messages", messageId);
    const attempt = await exchange({ route: "edit", channel }, { method: "PATCH", url, body, timeoutMs });
    if (attempt.kind === "limited") return { kind: "retry", reason: "rate limit", afterMs: attempt.afterMs };
    if (attempt.result.kind === "response" && attempt.result.status === 403) refusals.add(guildId, now());
    return editOutcomeOf(attempt.result, attempt.afterMs);
  }

  /** Edits with plain text if the embed is refused. */
  async function change(edit: MessageEdit, until: number): Promise<EditOutcome> {
    const first = await patch(edit, edit.message, until - now());
    const isEmbedRefused = first.kind === "rejected" && first.scope === "payload" && edit.message.embeds.length > 0;
    const left = until - now();
    if (!isEmbedRefused) return first;
    return left <= 0 ? OUT_OF_TIME : patch(edit, toPlainText(edit.message), left);
  }

  async function takeAway({ guildId, channel, messageId }: MessageRemoval, timeoutMs: number): Promise<RemovalOutcome> {
    const url = pathUrl(apiUrl, "channels", channel, "messages", messageId);
    const attempt = await exchange({ route: "delete", channel }, { method: "DELETE", url, timeoutMs });
    if (attempt.kind === "limited") return { kind: "retry", reason: "rate limit", afterMs: attempt.afterMs };
    if (attempt.result.kind === "response" && attempt.result.status === 403) refusals.add(guildId, now());
    return removalOutcomeOf(attempt.result, attempt.afterMs);
  }

  function haltFor(reason: string): void {
    halt = { until: now() + HALT_MS, reason };
  }

  return {
    name: "discord",
    requestsPerSecond: () => Math.max(1, share() - checksPerSecond()),
    shareAmong(counted) {
      processes = counted;
    },
    channels: {
      async check(guildId, channel, timeoutMs) {
        if (now() < halt.until || refusals.waitMs(guildId, now()) > 0) return undefined;
        const found = await directory.check(guildId, channel, getForCheck, timeoutMs);
        if (found.kind === "halted") haltFor(found.reason);
        if (found.kind === "retry" || found.kind === "halted") return undefined;
        if (found.kind === "unreachable") refusals.add(guildId, now());
        return found;
      },
      isKnown: (channel) => directory.isKnown(channel),
      learn: (guildId, channel) => directory.learn(guildId, channel),
      guildName: async (guildId, timeoutMs) =>
        now() < halt.until ? undefined : directory.guildName(guildId, get, timeoutMs),
    },
    channelLimits: {
      waitMs: (channel) => limits.bucketWaitMs({ route: "create", channel }, now()),
      isStopped: () => limits.isStopped(now()),
      isHalfOpen: () => limits.isHalfOpen(),
    },

    async send(message, timeoutMs) {
      const startedAt = now();
      if (startedAt < halt.until) return { kind: "halted", reason: halt.reason };
      const waitMs = refusals.waitMs(message.guildId, startedAt);
      if (waitMs > 0) return { kind: "retry", reason: MANY_REFUSALS, afterMs: waitMs, undelivered: true };
      const refused = await channelRefusal(message, timeoutMs);
      const outcome = refused ?? (await deliver(message, startedAt + timeoutMs));
      if (outcome.kind === "halted") haltFor(outcome.reason);
      if (refused === undefined && isRefusedByChannel(outcome)) directory.forget(message.channel);
      if (outcome.kind === "sent" || outcome.kind === "rejected") attempts.forget(message.nonce);
      return outcome;
    },

    async edit(edit, timeoutMs) {
      const startedAt = now();
      if (startedAt < halt.until) return { kind: "halted", reason: halt.reason };
      const waitMs = refusals.waitMs(edit.guildId, startedAt);
      if (waitMs > 0) return { kind: "retry", reason: MANY_REFUSALS, afterMs: waitMs };
      if (edit.messageId === DELETED_MESSAGE) return { kind: "gone", reason: WAS_DELETED };
      const outcome = await change(edit, startedAt + timeoutMs);
      if (outcome.kind === "halted") haltFor(outcome.reason);
      return outcome;
    },

    async remove(removal, timeoutMs) {
      const startedAt = now();
      if (startedAt < halt.until) return { kind: "halted", reason: halt.reason };
      const waitMs = refusals.waitMs(removal.guildId, startedAt);
      if (waitMs > 0) return { kind: "retry", reason: MANY_REFUSALS, afterMs: waitMs };
      if (removal.messageId === DELETED_MESSAGE) return { kind: "gone", reason: WAS_DELETED };
      const outcome = await takeAway(removal, timeoutMs);
      if (outcome.kind === "halted") haltFor(outcome.reason);
      return outcome;
    },

    async find({ guildId, channel, nonce, message }, triedMsAgo, timeoutMs): Promise<Lookup> {
      if (now() < halt.until) return { kind: "unreachable" };
      const startedAt = now();
      await readBotId(timeoutMs);
      const url = pathUrl(apiUrl, "channels", channel, "messages");
      url.searchParams.set("limit", String(PAGE_SIZE));
      const left = Math.max(1, timeoutMs - (now() - startedAt));
      const attempt = await exchange({ route: "list", channel }, { method: "GET", url, timeoutMs: left });
      if (attempt.kind === "limited") return { kind: "unreachable" };
      const versions = [...attempts.bodiesOf(nonce), ...[message, toPlainText(message)].map(encodeMessage)];
      const lookup = findSentMessage(attempt.result, { nonce, versions, triedMsAgo, author: botId });
      if (lookup.kind !== "empty") return lookup;
      const found = await directory.check(guildId, channel, get, Math.max(1, timeoutMs - (now() - startedAt)));
      return emptyListLookup(found.kind === "own" ? found.missing : undefined);
    },

    close() {
      client.close();
      return Promise.resolve();
    },
  };
}

/** The timeout was over before anything was sent. */
const OUT_OF_TIME: Extract<SendOutcome, { readonly kind: "retry" }> = {
  kind: "retry",
  reason: "timed out",
  afterMs: 0,
  undelivered: true,
};
const MANY_REFUSALS = "the channels of the guild refused too many posts in the last ten minutes";

function isRefusedByChannel(outcome: SendOutcome): boolean {
  return outcome.kind === "rejected" && outcome.scope === "channel";
}

type Attempt =
  | { readonly kind: "limited"; readonly afterMs: number }
  | { readonly kind: "made"; readonly result: HttpResult; readonly afterMs: number };

function pathUrl(apiUrl: string, ...path: string[]): URL {
  return new URL([apiUrl.replace(/\/+$/, ""), ...path.map(encodeURIComponent)].join("/"));
}
