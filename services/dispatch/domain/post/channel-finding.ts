import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { PostProblem } from "../../../contracts/dispatch.contract.ts";

/** Permissions in a channel that a post needs, by Discord's names. */
export type ChannelPermission =
  | "VIEW_CHANNEL"
  | "SEND_MESSAGES"
  | "SEND_MESSAGES_IN_THREADS"
  | "EMBED_LINKS"
  | "READ_MESSAGE_HISTORY"
  | "MENTION_EVERYONE";

/**
 * Result of a check of a channel for a guild (D35). `foreign`: the channel belongs to another guild, or to none.
 * `unsuitable`: the channel accepts no messages, for example because it is a category.
 */
export type ChannelFinding =
  | { readonly kind: "foreign" | "unknown" | "unreachable" | "unsuitable" }
  | {
      readonly kind: "own";
      /** Needed permissions that the bot lacks. */
      readonly missing: readonly ChannelPermission[];
      /** Roles that every member may mention; empty unless MENTION_EVERYONE is missing. */
      readonly mentionableRoles: readonly string[];
    };

type Mentions = Pick<Announcement, "subscribersRole">;

const PROBLEMS = {
  foreign: { code: "CHANNEL_FOREIGN", message: "the channel belongs to another guild" },
  unknown: { code: "CHANNEL_UNKNOWN", message: "the channel does not exist" },
  unreachable: { code: "CHANNEL_UNREACHABLE", message: "the channel can't be seen by the bot" },
  unsuitable: { code: "CHANNEL_UNSUITABLE", message: "the channel takes no messages" },
} as const satisfies Record<string, PostProblem>;

/** Whether the channel accepts every post, with any subscribers. */
export function hasNoProblem(finding: ChannelFinding): boolean {
  return finding.kind === "own" && finding.missing.length === 0;
}

/** Why the channel accepts no post; undefined if a post may be tried. */
export function refusalOf(finding: ChannelFinding): PostProblem | undefined {
  return finding.kind === "own" ? undefined : PROBLEMS[finding.kind];
}

/**
 * Why an announcement can't be posted in the channel, or not completely.
 *
 * @param mentions - Undefined if the announcement is not known; the permission to mention is then not checked.
 */
export function problemOf(finding: ChannelFinding, mentions?: Mentions): PostProblem | undefined {
  if (finding.kind !== "own") return PROBLEMS[finding.kind];
  const missing = finding.missing.filter(
    (permission) =>
      permission !== "MENTION_EVERYONE" || (mentions !== undefined && needsMentionPermission(finding, mentions)),
  );
  if (missing.length === 0) return undefined;
  return { code: "PERMISSION_MISSING", message: `the bot lacks ${missing.join(", ")} in the channel` };
}

/** Without the permission, mentions of @everyone, @here and roles that not every member may mention have no effect. */
function needsMentionPermission(
  { mentionableRoles }: Extract<ChannelFinding, { kind: "own" }>,
  { subscribersRole }: Mentions,
): boolean {
  return subscribersRole.some((role) => !mentionableRoles.includes(role));
}
