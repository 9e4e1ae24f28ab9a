import { setTimeout } from "node:timers/promises";
import { integerSetting, optionalSetting } from "../../../../mixins/settings/environment.ts";
import { VERSION } from "../../../contracts/version.ts";
import { recentAttempts } from "./recent-attempts.ts";
import { readAnswerBody } from "./response-body.ts";
import { outcomeOf } from "./response-outcome.ts";
import { channelDirectory, type Get } from "./channel-directory.ts";
import { guildRefusals } from "./guild-refusals.ts";
import { encodeMessage } from "../message-body.ts";
import { type RateLimitBucket, rateLimits } from "./rate-limits.ts";
import { emptyLookup, lookupIn, PAGE_SIZE } from "./recent-messages.ts";
import { refusalOf } from "../../domain/post/channel-finding.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { asPlainText } from "../../domain/message/plain-text.ts";
import { type HttpAnswer, httpClient, type HttpRequest } from "../http-client.ts";
import type { Lookup, OutgoingMessage, SendOutcome, Sink } from "../sink.ts";
import { slidingWindow } from "../sliding-window.ts";
import { urlSetting } from "../url-setting.ts";

/** The settings of the sink `discord`. */
export const discordSettings = {
  DISCORD_TOKEN: optionalSetting("The bot's token; needed by the sink `discord`", "a bot token", /^[\w.-]{1,200}$/),
  DISCORD_API_URL: urlSetting("Base URL of Discord's API, version included", "https://discord.com/api/v10"),
  DISCORD_BOT_URL: urlSetting(
    "Where to read about this bot; Discord asks for it in `User-Agent`",
    "https://guildcal.example",
  ),
  DISCORD_REQUESTS_PER_SECOND: integerSetting(
    "Most requests a second of this process, channel checks among them; all that share the token share Discord's 50",
    45,
    1,
    10_000,
  ),
};

/** Lists of 100 messages with full boxes stay below. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** How long nothing is sent after an answer that only an operator can mend; then one request tries again. */
const HALT_MS = 60_000;
/** Channel checks have this part of the requests a second, and posts have the rest. */
const CHECKED_PART = 1 / 10;

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
  const client = httpClient({ mostBytes: MAX_ANSWER_BYTES });
  const limits = rateLimits(requestsPerSecond);
  const checksPerSecond = Math.max(1, Math.floor(requestsPerSecond * CHECKED_PART));
  const checks = slidingWindow(checksPerSecond, 1_000);
  const memory = recentAttempts();
  const refusals = guildRefusals();
  const directory = channelDirectory(learnWhoWeAre, now);
  /** The bot's own user id, once it had to be known. */
  let self: string | undefined;
  let halt = { until: -Infinity, reason: "" };
  const headers = {
    authorization: `Bot ${token}`,
    "user-agent": `DiscordBot (${botUrl}, ${VERSION})`,
    accept: "application/json",
  };

  /** The answer with the wait that it asks for; or, when a limit stands in the way, that wait alone. */
  async function exchange(lane: RateLimitBucket, request: Omit<HttpRequest, "headers">): Promise<Attempt> {
    const afterMs = limits.wait(lane, now());
    if (afterMs > 0) return { kind: "limited", afterMs };
    const learnFrom = limits.take(lane, now());
    const contentType = request.body === undefined ? {} : { "content-type": "application/json" };
    const answer = await client.exchange({ ...request, headers: { ...headers, ...contentType } });
    return { kind: "made", answer, afterMs: learnFrom(answer, now()) };
  }

  /** The bot's own user id, asked for once. */
  async function learnWhoWeAre(timeoutMs: number): Promise<string | undefined> {
    if (self !== undefined) return self;
    const attempt = await get({ route: "me", channel: "" }, ["users", "@me"], timeoutMs / 3);
    if (attempt.kind === "made" && attempt.answer.kind === "answered" && attempt.answer.status === 200) {
      self = readAnswerBody(attempt.answer.body)?.id;
    }
    return self;
  }

  function get(lane: RateLimitBucket, path: readonly string[], timeoutMs: number): Promise<Attempt> {
    return exchange(lane, { method: "GET", url: pathUrl(apiUrl, ...path), timeoutMs });
  }

  /** For checks, which may wait: no lease runs out meanwhile. */
  const getInTurn: Get = async (lane, path, timeoutMs) => {
    const waitMs = () => Math.max(checks.wait(now()), limits.wait(lane, now()));
    if (waitMs() > timeoutMs) return { kind: "limited", afterMs: waitMs() };
    // A timer may fire a moment early.
    if (waitMs() > 0) await setTimeout(Math.ceil(waitMs()) + 1, undefined, { ref: false });
    if (waitMs() > 0) return { kind: "limited", afterMs: waitMs() };
    checks.add(now());
    return get(lane, path, timeoutMs);
  };

  /** Undefined when the channel is the guild's; otherwise what becomes of a post for it. */
  async function refusedPlace({ guildId, channel }: OutgoingMessage, timeoutMs: number) {
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
    memory.attempt(nonce, encoded);
    const body = JSON.stringify({ ...encoded, nonce, enforce_nonce: true });
    const url = pathUrl(apiUrl, "channels", channel, "messages");
    const attempt = await exchange({ route: "create", channel }, { method: "POST", url, body, timeoutMs });
    if (attempt.kind === "limited")
      return { kind: "retry", reason: "rate limit", afterMs: attempt.afterMs, undelivered: true };
    if (attempt.answer.kind === "answered" && attempt.answer.status === 403) refusals.add(guildId, now());
    return outcomeOf(attempt.answer, attempt.afterMs);
  }

  /** As plain text when the box has been refused, and once more so when it is refused now. */
  async function deliver(outgoing: OutgoingMessage, until: number): Promise<SendOutcome> {
    const { nonce, message } = outgoing;
    const timeoutMs = until - now();
    if (timeoutMs <= 0) return OUT_OF_TIME;
    const isPlain = memory.isBoxRefused(nonce);
    const first = await post(outgoing, isPlain ? asPlainText(message) : message, timeoutMs);
    const boxRefused = first.kind === "rejected" && first.scope === "payload" && message.embeds.length > 0;
    if (isPlain || !boxRefused) return first;
    memory.refuseBox(nonce);
    const left = until - now();
    // The process was frozen, say: by now its lease may be over, and the post another's.
    if (left <= 0) return OUT_OF_TIME;
    return post(outgoing, asPlainText(message), left);
  }

  function haltFor(reason: string): void {
    halt = { until: now() + HALT_MS, reason };
  }

  return {
    name: "discord",
    requestsPerSecond: Math.max(1, requestsPerSecond - checksPerSecond),
    channels: {
      async check(guildId, channel, timeoutMs) {
        if (now() < halt.until || refusals.wait(guildId, now()) > 0) return undefined;
        const found = await directory.check(guildId, channel, getInTurn, timeoutMs);
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
      wait: (channel) => limits.bucketWait({ route: "create", channel }, now()),
      isStopped: () => limits.isStopped(now()),
      onTrial: () => limits.onTrial(),
    },

    async send(message, timeoutMs) {
      const startedAt = now();
      if (startedAt < halt.until) return { kind: "halted", reason: halt.reason };
      const waitMs = refusals.wait(message.guildId, startedAt);
      if (waitMs > 0) return { kind: "retry", reason: MANY_REFUSALS, afterMs: waitMs, undelivered: true };
      const refused = await refusedPlace(message, timeoutMs);
      const outcome = refused ?? (await deliver(message, startedAt + timeoutMs));
      if (outcome.kind === "halted") haltFor(outcome.reason);
      if (refused === undefined && isRefusedByChannel(outcome)) directory.forget(message.channel);
      if (outcome.kind === "sent" || outcome.kind === "rejected") memory.forget(message.nonce);
      return outcome;
    },

    async find({ guildId, channel, nonce, message }, triedMsAgo, timeoutMs): Promise<Lookup> {
      if (now() < halt.until) return { kind: "unreachable" };
      const startedAt = now();
      await learnWhoWeAre(timeoutMs);
      const url = pathUrl(apiUrl, "channels", channel, "messages");
      url.searchParams.set("limit", String(PAGE_SIZE));
      const left = Math.max(1, timeoutMs - (now() - startedAt));
      const attempt = await exchange({ route: "list", channel }, { method: "GET", url, timeoutMs: left });
      if (attempt.kind === "limited") return { kind: "unreachable" };
      const versions = [...memory.attemptsAt(nonce), ...[message, asPlainText(message)].map(encodeMessage)];
      const lookup = lookupIn(attempt.answer, { nonce, versions, triedMsAgo, author: self });
      if (lookup.kind !== "empty") return lookup;
      const found = await directory.check(guildId, channel, get, Math.max(1, timeoutMs - (now() - startedAt)));
      return emptyLookup(found.kind === "own" ? found.missing : undefined);
    },

    close() {
      client.close();
      return Promise.resolve();
    },
  };
}

/** Nothing was sent: the time for it was over before. */
const OUT_OF_TIME: SendOutcome = { kind: "retry", reason: "timed out", afterMs: 0, undelivered: true };
const MANY_REFUSALS = "the channels of the guild refused too many posts in the last ten minutes";

function isRefusedByChannel(outcome: SendOutcome): boolean {
  return outcome.kind === "rejected" && outcome.scope === "channel";
}

type Attempt =
  | { readonly kind: "limited"; readonly afterMs: number }
  | { readonly kind: "made"; readonly answer: HttpAnswer; readonly afterMs: number };

function pathUrl(apiUrl: string, ...path: string[]): URL {
  return new URL([apiUrl.replace(/\/+$/, ""), ...path.map(encodeURIComponent)].join("/"));
}
