import { integerSetting, optionalSetting } from "../../mixins/environment.ts";
import { attemptMemory } from "./discord/attempt-memory.ts";
import { readAnswerBody } from "./discord/answer-body.ts";
import { outcomeOf } from "./discord/answer-outcome.ts";
import { encodeMessage } from "./discord/message-body.ts";
import { type Lane, rateLimits } from "./discord/rate-limits.ts";
import { lookupIn, PAGE_SIZE } from "./discord/recent-messages.ts";
import type { ChatMessage } from "./domain/chat-message.ts";
import { asPlainText } from "./domain/message/plain-text.ts";
import { type HttpAnswer, httpClient, type HttpRequest } from "./http-client.ts";
import type { Lookup, OutgoingMessage, SendOutcome, Sink } from "./sink.ts";
import { urlSetting } from "./url-setting.ts";

/** The settings of the sink `discord`. */
export const discordSettings = {
  DISCORD_TOKEN: optionalSetting("The bot's token; needed by the sink `discord`", "a bot token", /^[\w.-]{1,200}$/),
  DISCORD_API_URL: urlSetting("Base URL of Discord's API, version included", "https://discord.com/api/v10"),
  DISCORD_BOT_URL: urlSetting(
    "Where to read about this bot; Discord asks for it in `User-Agent`",
    "https://guildcal.example",
  ),
  DISCORD_REQUESTS_PER_SECOND: integerSetting(
    "Most requests a second of this process; all that share the token share Discord's 50",
    50,
    1,
    10_000,
  ),
};

/** In `User-Agent`; of this client, not of the product. */
const CLIENT_VERSION = "1.0";

/** Lists of 100 messages with full boxes stay below. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/** How long nothing is sent after an answer that only an operator can mend; then one request tries again. */
const HALT_MS = 60_000;

export interface DiscordSinkOptions {
  readonly token: string;
  readonly apiUrl: string;
  readonly botUrl: string;
  readonly requestsPerSecond: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Posts to Discord's API (D34). One call is one request, or two when a box is refused and the text goes alone. It
 * never waits: where a limit stands in the way it answers `retry` and when, so that the deadline stays with the caller.
 */
export function discordSink({
  token,
  apiUrl,
  botUrl,
  requestsPerSecond,
  now = () => performance.now(),
}: DiscordSinkOptions): Sink {
  const client = httpClient({ mostBytes: MOST_ANSWER_BYTES });
  const limits = rateLimits(requestsPerSecond);
  const memory = attemptMemory();
  /** The bot's own user id, once it had to be known. */
  let self: string | undefined;
  let halt = { until: -Infinity, reason: "" };
  const headers = {
    authorization: `Bot ${token}`,
    "user-agent": `DiscordBot (${botUrl}, ${CLIENT_VERSION})`,
    accept: "application/json",
  };

  /** The answer with the wait that it asks for; or, when a limit stands in the way, that wait alone. */
  async function exchange(lane: Lane, request: Omit<HttpRequest, "headers">): Promise<Attempt> {
    const afterMs = limits.wait(lane, now());
    if (afterMs > 0) return { kind: "limited", afterMs };
    const learnFrom = limits.take(lane, now());
    const contentType = request.body === undefined ? {} : { "content-type": "application/json" };
    const answer = await client.exchange({ ...request, headers: { ...headers, ...contentType } });
    return { kind: "made", answer, afterMs: learnFrom(answer, now()) };
  }

  /** Whose messages can be ours at all: asked for once; while it is not known, every bot's. */
  async function learnWhoWeAre(timeoutMs: number): Promise<void> {
    if (self !== undefined) return;
    const url = pathUrl(apiUrl, "users", "@me");
    const attempt = await exchange({ route: "me", channel: "" }, { method: "GET", url, timeoutMs: timeoutMs / 3 });
    if (attempt.kind === "made" && attempt.answer.kind === "answered" && attempt.answer.status === 200) {
      self = readAnswerBody(attempt.answer.body)?.id;
    }
  }

  async function post(channel: string, nonce: string, message: ChatMessage, timeoutMs: number): Promise<SendOutcome> {
    const encoded = encodeMessage(message);
    memory.attempt(nonce, encoded);
    const body = JSON.stringify({ ...encoded, nonce, enforce_nonce: true });
    const url = pathUrl(apiUrl, "channels", channel, "messages");
    const attempt = await exchange({ route: "create", channel }, { method: "POST", url, body, timeoutMs });
    if (attempt.kind === "limited")
      return { kind: "retry", reason: "rate limit", afterMs: attempt.afterMs, undelivered: true };
    return outcomeOf(attempt.answer, attempt.afterMs);
  }

  /** As plain text when the box has been refused, and once more so when it is refused now. */
  async function deliver({ channel, nonce, message }: OutgoingMessage, timeoutMs: number): Promise<SendOutcome> {
    const startedAt = now();
    const isPlain = memory.isBoxRefused(nonce);
    const first = await post(channel, nonce, isPlain ? asPlainText(message) : message, timeoutMs);
    const boxRefused = first.kind === "rejected" && first.scope === "payload" && message.embeds.length > 0;
    if (isPlain || !boxRefused) return first;
    memory.refuseBox(nonce);
    const left = timeoutMs - (now() - startedAt);
    // The process was frozen, say: by now its lease may be over, and the post another's.
    if (left <= 0) return { kind: "retry", reason: "timed out", afterMs: 0, undelivered: true };
    return post(channel, nonce, asPlainText(message), left);
  }

  return {
    name: "discord",
    requestsPerSecond,
    channelLimits: {
      wait: (channel) => limits.laneWait({ route: "create", channel }, now()),
      onTrial: () => limits.onTrial(),
    },

    async send(message, timeoutMs) {
      if (now() < halt.until) return { kind: "halted", reason: halt.reason };
      const outcome = await deliver(message, timeoutMs);
      if (outcome.kind === "halted") halt = { until: now() + HALT_MS, reason: outcome.reason };
      if (outcome.kind === "sent" || outcome.kind === "rejected") memory.forget(message.nonce);
      return outcome;
    },

    async find({ channel, nonce, message }, triedMsAgo, timeoutMs): Promise<Lookup> {
      if (now() < halt.until) return { kind: "unreachable" };
      const startedAt = now();
      await learnWhoWeAre(timeoutMs);
      const url = pathUrl(apiUrl, "channels", channel, "messages");
      url.searchParams.set("limit", String(PAGE_SIZE));
      const left = Math.max(1, timeoutMs - (now() - startedAt));
      const attempt = await exchange({ route: "list", channel }, { method: "GET", url, timeoutMs: left });
      if (attempt.kind === "limited") return { kind: "unreachable" };
      const versions = [...memory.attemptsAt(nonce), ...[message, asPlainText(message)].map(encodeMessage)];
      return lookupIn(attempt.answer, { nonce, versions, triedMsAgo, author: self });
    },

    close() {
      client.close();
      return Promise.resolve();
    },
  };
}

type Attempt =
  | { readonly kind: "limited"; readonly afterMs: number }
  | { readonly kind: "made"; readonly answer: HttpAnswer; readonly afterMs: number };

function pathUrl(apiUrl: string, ...path: string[]): URL {
  return new URL([apiUrl.replace(/\/+$/, ""), ...path.map(encodeURIComponent)].join("/"));
}
