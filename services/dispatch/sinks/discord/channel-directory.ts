import { LRUCache } from "lru-cache";
import type { ChannelFinding } from "../../domain/post/channel-finding.ts";
import type { HttpAnswer } from "../http-client.ts";
import type { SendOutcome } from "../sink.ts";
import { outcomeOf } from "./response-outcome.ts";
import { readAnswerBody } from "./response-body.ts";
import { type ChannelAnswer, readChannel, readGuild, readMember } from "./guild-responses.ts";
import { type BotMember, missingPermissions } from "./permissions.ts";
import type { RateLimitBucket } from "./rate-limits.ts";

/** A channel never moves to another guild: what ages is only whether it still exists, which a post finds out. */
const CHANNELS = { max: 20_000, ttl: 3_600_000 };
/** Names, roles and the bot's own roles change now and then. */
const GUILDS = { max: 2_000, ttl: 300_000 };
const NAMES = { max: 20_000, ttl: 3_600_000 };
/** Channels that take no messages: category, directory, forum, media. */
const UNSUITABLE: ReadonlySet<number> = new Set([4, 14, 15, 16]);
/** Threads of announcement channels, public and private threads. */
const THREADS: ReadonlySet<number> = new Set([10, 11, 12]);
/** Discord's code for a channel that does not exist. */
const UNKNOWN_CHANNEL = 10003;

/** What could not be learned now, as what it means for a post that needs it. Nothing of the post was sent. */
export type Unlearned = Extract<SendOutcome, { kind: "retry" | "halted" }>;

/** The guild as the bot sees it. */
interface KnownGuild {
  readonly bot: BotMember;
  readonly mentionableRoles: readonly string[];
}

/** One GET; the answer, with what it asks to wait, or how long a limit in the way has to be waited for. */
export type Get = (
  lane: RateLimitBucket,
  path: readonly string[],
  timeoutMs: number,
) => Promise<
  | { readonly kind: "limited"; readonly afterMs: number }
  | { readonly kind: "made"; readonly answer: HttpAnswer; readonly afterMs: number }
>;

/** What Discord says about channels and guilds, kept for a while and up to a number. Nothing here throws. */
export interface ChannelDirectory {
  /** Whether the channel is the guild's; asked for once, and then known for an hour. */
  ownership(guildId: string, channel: string, get: Get, timeoutMs: number): Promise<ChannelFinding | Unlearned>;
  /** The same with the bot's permissions, read at this moment but for what the guild's roles grant. */
  check(guildId: string, channel: string, get: Get, timeoutMs: number): Promise<ChannelFinding | Unlearned>;
  isKnown(channel: string): boolean;
  /** Somebody else has found out that the channel is the guild's. */
  learn(guildId: string, channel: string): void;
  guildName(guildId: string, get: Get, timeoutMs: number): Promise<string | undefined>;
  /** What is known of the channel may be wrong: it refused a post. */
  forget(channel: string): void;
}

/**
 * @param botId - The bot's own user id; undefined when it can't be had now.
 * @param now - Milliseconds of a clock that never goes back.
 */
export function channelDirectory(
  botId: (timeoutMs: number) => Promise<string | undefined>,
  now: () => number,
): ChannelDirectory {
  const clock = { perf: { now }, ttlResolution: 0 };
  /** The guild that a channel belongs to; "" for none. */
  const channelGuilds = new LRUCache<string, string>({ ...CHANNELS, ...clock });
  const guilds = new LRUCache<string, KnownGuild>({ ...GUILDS, ...clock });
  const names = new LRUCache<string, string>({ ...NAMES, ...clock });
  /** Posts that come due together ask one question together. */
  const underWay = new Map<string, Promise<unknown>>();

  function once<Result>(key: string, ask: () => Promise<Result>): Promise<Result> {
    const asked = underWay.get(key) as Promise<Result> | undefined;
    if (asked !== undefined) return asked;
    const answer = ask().finally(() => underWay.delete(key));
    underWay.set(key, answer);
    return answer;
  }

  /** @returns The channel, or that it is not there or out of the bot's reach. */
  async function learnChannel(channel: string, get: Get, timeoutMs: number) {
    const attempt = await get({ route: "channel", channel }, ["channels", channel], timeoutMs);
    if (attempt.kind === "limited") return limited(attempt.afterMs);
    const { answer, afterMs } = attempt;
    const found = isOk(answer) ? readChannel(answer.body) : undefined;
    if (found !== undefined) {
      channelGuilds.set(channel, found.guildId ?? "");
      return { kind: "channel", found } as const;
    }
    channelGuilds.delete(channel);
    return refusedChannel(answer) ?? unlearned(answer, afterMs);
  }

  async function learnGuild(guildId: string, get: Get, timeoutMs: number): Promise<KnownGuild | Unlearned> {
    const userId = await botId(timeoutMs);
    if (userId === undefined) return retry("the bot's own id is not known", 0);
    const lane = (route: string) => ({ route, channel: guildId });
    const [guild, member] = await Promise.all([
      get(lane("guild"), ["guilds", guildId], timeoutMs),
      get(lane("member"), ["guilds", guildId, "members", userId], timeoutMs),
    ]);
    if (guild.kind === "limited") return limited(guild.afterMs);
    if (member.kind === "limited") return limited(member.afterMs);
    const told = isOk(guild.answer) ? readGuild(guild.answer.body) : undefined;
    const membership = isOk(member.answer) ? readMember(member.answer.body) : undefined;
    if (told === undefined) return unlearned(guild.answer, guild.afterMs);
    if (membership === undefined || !isOk(member.answer)) return unlearned(member.answer, member.afterMs);
    const { roles, ownerId } = told;
    const { roleIds, timedOutUntil } = membership;
    const ofTheBot = roles.filter(({ id }) => id === guildId || roleIds.includes(id));
    names.set(guildId, told.name);
    const known: KnownGuild = {
      bot: {
        userId,
        isOwner: ownerId === userId,
        roleIds,
        basePermissions: ofTheBot.reduce((all, { permissions }) => all | permissions, 0n),
        // By the receiver's own clock.
        isTimedOut: timedOutUntil > Date.parse(member.answer.headers.date ?? ""),
      },
      mentionableRoles: roles.filter(({ mentionable }) => mentionable).map(({ id }) => id),
    };
    guilds.set(guildId, known);
    return known;
  }

  async function learnName(guildId: string, get: Get, timeoutMs: number): Promise<string | undefined> {
    const attempt = await get({ route: "guild", channel: guildId }, ["guilds", guildId], timeoutMs);
    const told = attempt.kind === "made" && isOk(attempt.answer) ? readGuild(attempt.answer.body) : undefined;
    // A guild that the bot is not in has no name here; every branded post would ask again.
    const isRefused = attempt.kind === "made" && outcomeOf(attempt.answer, 0).kind === "rejected";
    if (told !== undefined || isRefused) names.set(guildId, told?.name ?? "");
    return told?.name;
  }

  async function guildOf(guildId: string, get: Get, timeoutMs: number): Promise<KnownGuild | Unlearned> {
    return guilds.get(guildId) ?? once(`guild ${guildId}`, () => learnGuild(guildId, get, timeoutMs));
  }

  async function permissionsIn(
    guildId: string,
    { type, parentId, overwrites }: ChannelAnswer,
    get: Get,
    timeoutMs: number,
  ): Promise<ChannelFinding | Unlearned> {
    const isThread = THREADS.has(type);
    const guild = await guildOf(guildId, get, timeoutMs);
    if ("kind" in guild) return guild;
    const parent = isThread && parentId !== undefined ? await learnChannel(parentId, get, timeoutMs) : undefined;
    if (parent !== undefined && parent.kind !== "channel") return parent;
    const missing = missingPermissions(guild.bot, guildId, parent?.found.overwrites ?? overwrites, isThread);
    const mentionableRoles = missing.includes("MENTION_EVERYONE") ? guild.mentionableRoles : [];
    return { kind: "own", missing, mentionableRoles };
  }

  return {
    async ownership(guildId, channel, get, timeoutMs) {
      const known = channelGuilds.get(channel);
      if (known !== undefined) return known === guildId ? OWN : { kind: "foreign" };
      const learned = await once(`channel ${channel}`, () => learnChannel(channel, get, timeoutMs));
      if (learned.kind !== "channel") return learned;
      return learned.found.guildId === guildId ? OWN : { kind: "foreign" };
    },

    async check(guildId, channel, get, timeoutMs) {
      const learned = await learnChannel(channel, get, timeoutMs);
      if (learned.kind !== "channel") return learned;
      const { found } = learned;
      if (found.guildId !== guildId) return { kind: "foreign" };
      return UNSUITABLE.has(found.type) ? { kind: "unsuitable" } : permissionsIn(guildId, found, get, timeoutMs);
    },

    async guildName(guildId, get, timeoutMs) {
      const known = names.get(guildId);
      if (known === "") return undefined;
      return known ?? once(`name ${guildId}`, () => learnName(guildId, get, timeoutMs));
    },

    isKnown: (channel) => channelGuilds.get(channel) !== undefined,
    learn: (guildId, channel) => channelGuilds.set(channel, guildId),
    forget: (channel) => channelGuilds.delete(channel),
  };
}

/** That a channel is the guild's, and no more. */
const OWN: ChannelFinding = { kind: "own", missing: [], mentionableRoles: [] };

function isOk(answer: HttpAnswer): answer is HttpAnswer & { kind: "answered" } {
  return answer.kind === "answered" && answer.status === 200;
}

/** Undefined when the answer says nothing about the channel itself. */
function refusedChannel(answer: HttpAnswer): ChannelFinding | undefined {
  const outcome = outcomeOf(answer, 0);
  if (answer.kind !== "answered" || outcome.kind !== "rejected") return undefined;
  const isUnknown = readAnswerBody(answer.body)?.code === UNKNOWN_CHANNEL;
  return { kind: isUnknown ? "unknown" : "unreachable" };
}

/** Nothing was sent, so nothing is in doubt: what is not learned now is asked for again. */
function unlearned(answer: HttpAnswer, afterMs: number): Unlearned {
  const outcome = outcomeOf(answer, afterMs);
  if (outcome.kind === "halted") return outcome;
  return retry(outcome.kind === "sent" ? "the receiver's answer can't be read" : outcome.reason, afterMs);
}

function limited(afterMs: number): Unlearned {
  return retry("rate limit", afterMs);
}

function retry(reason: string, afterMs: number): Unlearned {
  return { kind: "retry", reason, afterMs, undelivered: true };
}
