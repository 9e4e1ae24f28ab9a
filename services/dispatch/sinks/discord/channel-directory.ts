import { LRUCache } from "lru-cache";
import type { ChannelFinding } from "../../domain/post/channel-finding.ts";
import type { HttpResult } from "../../../../mixins/http/http-client.ts";
import type { SendOutcome } from "../sink.ts";
import { outcomeOf } from "./response-outcome.ts";
import { parseResponseBody } from "./response-body.ts";
import { type ChannelResponse, parseChannel, parseGuild, parseMember } from "./guild-responses.ts";
import { type BotMember, missingPermissions } from "./permissions.ts";
import type { RateLimitBucket } from "./rate-limits.ts";

/** A channel never moves to another guild. It may be deleted, which a post finds out. */
const CHANNELS = { max: 20_000, ttl: 3_600_000 };
const GUILDS = { max: 2_000, ttl: 300_000 };
const GUILD_NAMES = { max: 20_000, ttl: 3_600_000 };
/** Types of channels without messages: category, directory, forum, media. */
const UNSUITABLE: ReadonlySet<number> = new Set([4, 14, 15, 16]);
/** Types of threads: in announcement channels, public, private. */
const THREADS: ReadonlySet<number> = new Set([10, 11, 12]);
/** Discord's code for a channel that does not exist. */
const UNKNOWN_CHANNEL = 10003;

/** The outcome of a post if a channel or guild could not be read. Nothing of the post was sent. */
export type Unavailable = Extract<SendOutcome, { kind: "retry" | "halted" }>;

interface KnownGuild {
  readonly bot: BotMember;
  readonly mentionableRoles: readonly string[];
}

/** Sends a GET request. `afterMs` is the wait that the response requires, or the wait until a limit is over. */
export type DiscordGet = (
  bucket: RateLimitBucket,
  path: readonly string[],
  timeoutMs: number,
) => Promise<
  | { readonly kind: "limited"; readonly afterMs: number }
  | { readonly kind: "made"; readonly result: HttpResult; readonly afterMs: number }
>;

/** A cache of Discord's channels and guilds, bounded in time and size. Nothing here throws. */
export interface ChannelDirectory {
  /** Whether the channel belongs to the guild; cached for an hour. */
  ownership(
    guildId: string,
    channel: string,
    get: DiscordGet,
    timeoutMs: number,
  ): Promise<ChannelFinding | Unavailable>;
  /** Also checks the bot's permissions. Reads the channel again; the guild's roles may be cached. */
  check(guildId: string, channel: string, get: DiscordGet, timeoutMs: number): Promise<ChannelFinding | Unavailable>;
  isKnown(channel: string): boolean;
  /** Records the finding of another replica that the channel belongs to the guild. */
  learn(guildId: string, channel: string): void;
  guildName(guildId: string, get: DiscordGet, timeoutMs: number): Promise<string | undefined>;
  /** Drops the cached channel, because it refused a post. */
  forget(channel: string): void;
}

/**
 * @param botId - Reads the bot's own user id; undefined if it can't be read now.
 * @param now - Milliseconds of a monotonic clock.
 */
export function channelDirectory(
  botId: (timeoutMs: number) => Promise<string | undefined>,
  now: () => number,
): ChannelDirectory {
  const clock = { perf: { now }, ttlResolution: 0 };
  /** The guild of a channel; "" for none. */
  const channelGuilds = new LRUCache<string, string>({ ...CHANNELS, ...clock });
  const guilds = new LRUCache<string, KnownGuild>({ ...GUILDS, ...clock });
  const guildNames = new LRUCache<string, string>({ ...GUILD_NAMES, ...clock });
  /** Posts that are due at the same time share a request. */
  const inFlight = new Map<string, Promise<unknown>>();

  function singleFlight<Result>(key: string, request: () => Promise<Result>): Promise<Result> {
    const shared = inFlight.get(key) as Promise<Result> | undefined;
    if (shared !== undefined) return shared;
    const result = request().finally(() => inFlight.delete(key));
    inFlight.set(key, result);
    return result;
  }

  /** @returns The channel, or why it can't be read. */
  async function readChannel(channel: string, get: DiscordGet, timeoutMs: number) {
    const attempt = await get({ route: "channel", channel }, ["channels", channel], timeoutMs);
    if (attempt.kind === "limited") return limited(attempt.afterMs);
    const { result, afterMs } = attempt;
    const found = isOk(result) ? parseChannel(result.body) : undefined;
    if (found !== undefined) {
      channelGuilds.set(channel, found.guildId ?? "");
      return { kind: "channel", found } as const;
    }
    channelGuilds.delete(channel);
    return refusedChannel(result) ?? unavailable(result, afterMs);
  }

  async function readGuild(guildId: string, get: DiscordGet, timeoutMs: number): Promise<KnownGuild | Unavailable> {
    const userId = await botId(timeoutMs);
    if (userId === undefined) return retry("the bot's own id is not known", 0);
    const bucket = (route: string) => ({ route, channel: guildId });
    const [guild, member] = await Promise.all([
      get(bucket("guild"), ["guilds", guildId], timeoutMs),
      get(bucket("member"), ["guilds", guildId, "members", userId], timeoutMs),
    ]);
    if (guild.kind === "limited") return limited(guild.afterMs);
    if (member.kind === "limited") return limited(member.afterMs);
    const found = isOk(guild.result) ? parseGuild(guild.result.body) : undefined;
    const membership = isOk(member.result) ? parseMember(member.result.body) : undefined;
    if (found === undefined) return unavailable(guild.result, guild.afterMs);
    if (membership === undefined || !isOk(member.result)) return unavailable(member.result, member.afterMs);
    const { roles, ownerId } = found;
    const { roleIds, timedOutUntil } = membership;
    const botRoles = roles.filter(({ id }) => id === guildId || roleIds.includes(id));
    guildNames.set(guildId, found.name);
    const known: KnownGuild = {
      bot: {
        userId,
        isOwner: ownerId === userId,
        roleIds,
        basePermissions: botRoles.reduce((all, { permissions }) => all | permissions, 0n),
        // By Discord's clock.
        isTimedOut: timedOutUntil > Date.parse(member.result.headers.date ?? ""),
      },
      mentionableRoles: roles.filter(({ mentionable }) => mentionable).map(({ id }) => id),
    };
    guilds.set(guildId, known);
    return known;
  }

  async function readGuildName(guildId: string, get: DiscordGet, timeoutMs: number): Promise<string | undefined> {
    const attempt = await get({ route: "guild", channel: guildId }, ["guilds", guildId], timeoutMs);
    const found = attempt.kind === "made" && isOk(attempt.result) ? parseGuild(attempt.result.body) : undefined;
    // A refusal is cached, too: otherwise every branded post of a guild without the bot would request the name.
    const isRefused = attempt.kind === "made" && outcomeOf(attempt.result, 0).kind === "rejected";
    if (found !== undefined || isRefused) guildNames.set(guildId, found?.name ?? "");
    return found?.name;
  }

  async function guildOf(guildId: string, get: DiscordGet, timeoutMs: number): Promise<KnownGuild | Unavailable> {
    return guilds.get(guildId) ?? singleFlight(`guild ${guildId}`, () => readGuild(guildId, get, timeoutMs));
  }

  async function permissionsIn(
    guildId: string,
    { type, parentId, overwrites }: ChannelResponse,
    get: DiscordGet,
    timeoutMs: number,
  ): Promise<ChannelFinding | Unavailable> {
    const isThread = THREADS.has(type);
    const guild = await guildOf(guildId, get, timeoutMs);
    if ("kind" in guild) return guild;
    const parent = isThread && parentId !== undefined ? await readChannel(parentId, get, timeoutMs) : undefined;
    if (parent !== undefined && parent.kind !== "channel") return parent;
    const missing = missingPermissions(guild.bot, guildId, parent?.found.overwrites ?? overwrites, isThread);
    const mentionableRoles = missing.includes("MENTION_EVERYONE") ? guild.mentionableRoles : [];
    return { kind: "own", missing, mentionableRoles };
  }

  return {
    async ownership(guildId, channel, get, timeoutMs) {
      const known = channelGuilds.get(channel);
      if (known !== undefined) return known === guildId ? OWN : { kind: "foreign" };
      const read = await singleFlight(`channel ${channel}`, () => readChannel(channel, get, timeoutMs));
      if (read.kind !== "channel") return read;
      return read.found.guildId === guildId ? OWN : { kind: "foreign" };
    },

    async check(guildId, channel, get, timeoutMs) {
      const read = await readChannel(channel, get, timeoutMs);
      if (read.kind !== "channel") return read;
      const { found } = read;
      if (found.guildId !== guildId) return { kind: "foreign" };
      return UNSUITABLE.has(found.type) ? { kind: "unsuitable" } : permissionsIn(guildId, found, get, timeoutMs);
    },

    async guildName(guildId, get, timeoutMs) {
      const known = guildNames.get(guildId);
      if (known === "") return undefined;
      return known ?? singleFlight(`name ${guildId}`, () => readGuildName(guildId, get, timeoutMs));
    },

    isKnown: (channel) => channelGuilds.get(channel) !== undefined,
    learn: (guildId, channel) => channelGuilds.set(channel, guildId),
    forget: (channel) => channelGuilds.delete(channel),
  };
}

/** Without information about permissions. */
const OWN: ChannelFinding = { kind: "own", missing: [], mentionableRoles: [] };

function isOk(result: HttpResult): result is HttpResult & { kind: "response" } {
  return result.kind === "response" && result.status === 200;
}

/** Undefined if the result says nothing about the channel itself. */
function refusedChannel(result: HttpResult): ChannelFinding | undefined {
  const outcome = outcomeOf(result, 0);
  if (result.kind !== "response" || outcome.kind !== "rejected") return undefined;
  const isUnknown = parseResponseBody(result.body)?.code === UNKNOWN_CHANNEL;
  return { kind: isUnknown ? "unknown" : "unreachable" };
}

function unavailable(result: HttpResult, afterMs: number): Unavailable {
  const outcome = outcomeOf(result, afterMs);
  if (outcome.kind === "halted") return outcome;
  return retry(outcome.kind === "sent" ? "the receiver's response can't be read" : outcome.reason, afterMs);
}

function limited(afterMs: number): Unavailable {
  return retry("rate limit", afterMs);
}

function retry(reason: string, afterMs: number): Unavailable {
  return { kind: "retry", reason, afterMs, undelivered: true };
}
