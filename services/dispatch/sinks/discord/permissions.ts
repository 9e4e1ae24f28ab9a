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
/** What a member who is timed out keeps. */
const KEPT_IN_TIMEOUT = BITS.VIEW_CHANNEL | BITS.READ_MESSAGE_HISTORY;

/** The bot as a member of a guild. */
export interface BotMember {
  readonly userId: string;
  readonly isOwner: boolean;
  /** Without the role @everyone, which every member has and whose id is the guild's. */
  readonly roleIds: readonly string[];
  /** What @everyone and its roles grant in the whole guild. */
  readonly basePermissions: bigint;
  readonly isTimedOut: boolean;
}

/** What a channel allows and denies a role or a member, beside what they have in the whole guild. */
export interface Overwrite {
  readonly id: string;
  readonly kind: "role" | "member";
  readonly allow: bigint;
  readonly deny: bigint;
}

/**
 * The permissions that a post needs and that the bot lacks in a channel, by Discord's documented order: the guild's
 * roles, then the channel's overwrites for @everyone, for the bot's roles together, and for the bot. In a thread the
 * overwrites are the parent's, and SEND_MESSAGES_IN_THREADS takes the place of SEND_MESSAGES.
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
  // Without the first nothing else can be done, whatever the other bits are.
  if (lacks("VIEW_CHANNEL")) return ["VIEW_CHANNEL"];
  return ([send, "EMBED_LINKS", "READ_MESSAGE_HISTORY", "MENTION_EVERYONE"] as const).filter(lacks);
}

function permissionsOf(bot: BotMember, guildId: string, overwrites: readonly Overwrite[]): bigint {
  const { userId, isOwner, roleIds, basePermissions, isTimedOut } = bot;
  if (isOwner || (basePermissions & ADMINISTRATOR) !== 0n) return ~0n;
  const levels = [
    overwrites.filter(({ kind, id }) => kind === "role" && id === guildId),
    overwrites.filter(({ kind, id }) => kind === "role" && id !== guildId && roleIds.includes(id)),
    overwrites.filter(({ kind, id }) => kind === "member" && id === userId),
  ];
  const permissions = levels.reduce(applied, basePermissions);
  return isTimedOut ? permissions & KEPT_IN_TIMEOUT : permissions;
}

/** Overwrites of one level are applied together: what one of them allows another can't deny. */
function applied(permissions: bigint, level: readonly Overwrite[]): bigint {
  const denied = level.reduce((all, { deny }) => all | deny, 0n);
  const allowed = level.reduce((all, { allow }) => all | allow, 0n);
  return (permissions & ~denied) | allowed;
}
