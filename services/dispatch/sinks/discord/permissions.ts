import type { ChannelPermission } from "../../domain/post/channel-finding.ts";

/** Discord's bits of the permissions that a post needs (developers/topics/permissions). */
const BITS: Readonly<Record<ChannelPermission, bigint>> = {
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  EMBED_LINKS: 1n << 14n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MENTION_EVERYONE: 1n << 17n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
};
const ADMINISTRATOR = 1n << 3n;
/** Every bit, also those of permissions that Discord adds later. */
const ALL_PERMISSIONS = ~0n;
/** The permissions of a member who is timed out. */
const ALLOWED_IN_TIMEOUT = BITS.VIEW_CHANNEL | BITS.READ_MESSAGE_HISTORY;

/** The bot as a member of a guild. */
export interface BotMember {
  readonly userId: string;
  readonly isOwner: boolean;
  /** Without @everyone, the role of every member, whose id is the guild's id. */
  readonly roleIds: readonly string[];
  /** Permissions in the whole guild, by @everyone and the bot's roles. */
  readonly basePermissions: bigint;
  readonly isTimedOut: boolean;
}

/** Permissions that a channel allows or denies to a role or a member, in addition to those in the whole guild. */
export interface Overwrite {
  readonly id: string;
  readonly kind: "role" | "member";
  readonly allow: bigint;
  readonly deny: bigint;
}

/**
 * The permissions that posts can need and the bot lacks in a channel, computed in Discord's documented order: the
 * guild's roles, then the channel's overwrites for @everyone, for all of the bot's roles, and for the bot. A thread has
 * its parent's overwrites, and needs SEND_MESSAGES_IN_THREADS instead of SEND_MESSAGES.
 *
 * Not every post needs all of them: MENTION_EVERYONE is for mentions of everyone, here, and roles that not everybody
 * may mention, and READ_MESSAGE_HISTORY is only for the look-up of a post whose response was lost.
 */
export function missingPermissions(
  bot: BotMember,
  guildId: string,
  overwrites: readonly Overwrite[],
  isThread: boolean,
): readonly ChannelPermission[] {
  const has = permissionsOf(bot, guildId, overwrites);
  const send = isThread ? "SEND_MESSAGES_IN_THREADS" : "SEND_MESSAGES";
  const lacks = (permission: ChannelPermission) => (has & BITS[permission]) === 0n;
  // Without VIEW_CHANNEL all other permissions are void.
  if (lacks("VIEW_CHANNEL")) return ["VIEW_CHANNEL"];
  return ([send, "EMBED_LINKS", "READ_MESSAGE_HISTORY", "MENTION_EVERYONE"] as const).filter(lacks);
}

function permissionsOf(bot: BotMember, guildId: string, overwrites: readonly Overwrite[]): bigint {
  const { userId, isOwner, roleIds, basePermissions, isTimedOut } = bot;
  if (isOwner || (basePermissions & ADMINISTRATOR) !== 0n) return ALL_PERMISSIONS;
  const levels = [
    overwrites.filter(({ kind, id }) => kind === "role" && id === guildId),
    overwrites.filter(({ kind, id }) => kind === "role" && roleIds.includes(id)),
    overwrites.filter(({ kind, id }) => kind === "member" && id === userId),
  ];
  const permissions = levels.reduce(applyOverwrites, basePermissions);
  return isTimedOut ? permissions & ALLOWED_IN_TIMEOUT : permissions;
}

/** All denials of a level are applied before its allowances: an allowance of one role beats a denial of another. */
function applyOverwrites(permissions: bigint, level: readonly Overwrite[]): bigint {
  const denied = level.reduce((all, { deny }) => all | deny, 0n);
  const allowed = level.reduce((all, { allow }) => all | allow, 0n);
  return (permissions & ~denied) | allowed;
}
