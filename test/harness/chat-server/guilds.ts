import type { ChatResponse } from "./responses.ts";
import * as responses from "./responses.ts";

/** The permission bits of this server, by Discord's names. */
const BITS = {
  ADMINISTRATOR: 1n << 3n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  EMBED_LINKS: 1n << 14n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MENTION_EVERYONE: 1n << 17n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
} as const;
export type PermissionName = keyof typeof BITS;

export interface RoleRule {
  readonly id: string;
  readonly grants?: readonly PermissionName[];
  readonly mentionable?: boolean;
  /** Whether the bot under test has the role. */
  readonly ofTheBot?: boolean;
}

/** A guild. By default the bot has all needed permissions. */
export interface GuildRule {
  readonly name?: string;
  /** The permissions of the role @everyone. */
  readonly everyone?: readonly PermissionName[];
  readonly roles?: readonly RoleRule[];
  /** The end of the bot's timeout. */
  readonly timedOutUntil?: string;
  readonly isBotAbsent?: boolean;
}

export interface OverwriteRule {
  /** The id of a role or a member; a guild's id is that of its role @everyone. */
  readonly id: string;
  readonly allow?: readonly PermissionName[];
  readonly deny?: readonly PermissionName[];
}

/** The place and type of a channel. */
export interface ChannelPlace {
  /** The guild; absent for a direct message. */
  readonly guild?: string;
  /** The type by Discord's number; by default a text channel. */
  readonly type?: number;
  /** The parent channel of a thread. */
  readonly parent?: string;
  readonly overwrites?: readonly OverwriteRule[];
}

/** Guilds with their channels, and the permissions of the bot under test. */
export interface Guilds {
  setGuild(guild: string, rule: GuildRule): void;
  addChannel(channel: string, place: ChannelPlace): void;
  channel(channel: string): ChatResponse;
  guild(guild: string): ChatResponse;
  member(guild: string, user: string): ChatResponse;
  mayDo(channel: string, permission: PermissionName): boolean;
  /** Whether a mention of the role notifies its members. */
  mayMention(channel: string, role: string): boolean;
}

const THREADS: ReadonlySet<number> = new Set([10, 11, 12]);
const ROLE = 0;
const MEMBER = 1;
const EVERYTHING = Object.keys(BITS).filter((name) => name !== "ADMINISTRATOR") as PermissionName[];

/** @param bot - The user id of the bot under test. */
export function guildsOf(bot: string): Guilds {
  const guilds = new Map<string, GuildRule>();
  const places = new Map<string, ChannelPlace>();

  const ruleOf = (guild: string): GuildRule => guilds.get(guild) ?? {};
  /** A channel that was not added belongs to a guild with the same id. */
  const placeOf = (channel: string): ChannelPlace => places.get(channel) ?? { guild: channel };

  function permissionsIn(channel: string): bigint {
    const place = placeOf(channel);
    if (place.guild === undefined) return bitsOf(EVERYTHING);
    const { everyone = EVERYTHING, roles = [], timedOutUntil, isBotAbsent = false } = ruleOf(place.guild);
    if (isBotAbsent) return 0n;
    const own = roles.filter(({ ofTheBot }) => ofTheBot);
    const base = [everyone, ...own.map(({ grants = [] }) => grants)].map(bitsOf).reduce((all, bits) => all | bits, 0n);
    if ((base & BITS.ADMINISTRATOR) !== 0n) return bitsOf(EVERYTHING);
    const { overwrites = [] } = place.parent === undefined ? place : placeOf(place.parent);
    const levels = [[place.guild], own.map(({ id }) => id), [bot]];
    let bits = base;
    for (const ids of levels) {
      const level = overwrites.filter(({ id }) => ids.includes(id));
      for (const { deny = [] } of level) bits &= ~bitsOf(deny);
      for (const { allow = [] } of level) bits |= bitsOf(allow);
    }
    return timedOutUntil === undefined ? bits : bits & (BITS.VIEW_CHANNEL | BITS.READ_MESSAGE_HISTORY);
  }

  const mayDo = (channel: string, permission: PermissionName) => {
    const isThread = THREADS.has(placeOf(channel).type ?? 0);
    const name = permission === "SEND_MESSAGES" && isThread ? "SEND_MESSAGES_IN_THREADS" : permission;
    return (permissionsIn(channel) & BITS[name]) !== 0n;
  };

  return {
    setGuild: (guild, rule) => void guilds.set(guild, rule),
    addChannel: (channel, place) => void places.set(channel, place),
    mayDo,
    mayMention(channel, role) {
      const { roles = [] } = ruleOf(placeOf(channel).guild ?? "");
      return mayDo(channel, "MENTION_EVERYONE") || roles.some(({ id, mentionable }) => id === role && mentionable);
    },
    channel(channel) {
      const { guild, type = guild === undefined ? 1 : 0, parent, overwrites = [] } = placeOf(channel);
      const shown = overwrites.map(({ id, allow = [], deny = [] }) => ({
        id,
        type: id === bot ? MEMBER : ROLE,
        allow: String(bitsOf(allow)),
        deny: String(bitsOf(deny)),
      }));
      const of = guild === undefined ? {} : { guild_id: guild, permission_overwrites: shown };
      return { status: 200, body: { id: channel, type, parent_id: parent ?? null, name: `channel-${channel}`, ...of } };
    },
    guild(guild) {
      const { name = `guild ${guild}`, everyone = EVERYTHING, roles = [], isBotAbsent = false } = ruleOf(guild);
      if (isBotAbsent) return responses.UNKNOWN_GUILD;
      const all = [{ id: guild, grants: everyone }, ...roles].map(({ id, grants = [], ...role }: RoleRule) => ({
        id,
        permissions: String(bitsOf(grants)),
        mentionable: role.mentionable ?? false,
      }));
      return { status: 200, body: { id: guild, name, owner_id: "1", roles: all } };
    },
    member(guild, user) {
      const { roles = [], timedOutUntil, isBotAbsent = false } = ruleOf(guild);
      if (user !== bot || isBotAbsent) return responses.UNKNOWN_MEMBER;
      const own = roles.filter(({ ofTheBot }) => ofTheBot).map(({ id }) => id);
      return {
        status: 200,
        body: { user: { id: bot }, roles: own, communication_disabled_until: timedOutUntil ?? null },
      };
    },
  };
}

function bitsOf(names: readonly PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | BITS[name], 0n);
}
