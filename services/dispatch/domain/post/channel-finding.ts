import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { PostProblem } from "../../../contracts/dispatch.contract.ts";

/** Permissions of the bot in a channel that a post needs, by Discord's names. */
export type ChannelPermission =
  | "VIEW_CHANNEL"
  | "SEND_MESSAGES"
  | "SEND_MESSAGES_IN_THREADS"
  | "EMBED_LINKS"
  | "READ_MESSAGE_HISTORY"
  | "MENTION_EVERYONE";

/**
 * What a sink has found out about a channel for a guild (D35). `foreign`: it belongs to another guild, or to none.
 * `unsuitable`: it takes no messages, as a category.
 */
export type ChannelFinding =
  | { readonly kind: "foreign" | "unknown" | "unreachable" | "unsuitable" }
  | {
      readonly kind: "own";
      /** Permissions that a post needs and that the bot lacks. */
      readonly missing: readonly ChannelPermission[];
      /** Roles that anybody may mention; empty where MENTION_EVERYONE is not missing. */
      readonly mentionableRoles: readonly string[];
    };

type Mentions = Pick<Announcement, "subscribersRole">;

const PROBLEMS = {
  foreign: { code: "CHANNEL_FOREIGN", message: "the channel belongs to another guild" },
  unknown: { code: "CHANNEL_UNKNOWN", message: "the channel does not exist" },
  unreachable: { code: "CHANNEL_UNREACHABLE", message: "the channel can't be seen by the bot" },
  unsuitable: { code: "CHANNEL_UNSUITABLE", message: "the channel takes no messages" },
} as const satisfies Record<string, PostProblem>;

/** Whether nothing stands against any post in the channel, whoever its subscribers are. */
export function isClear(finding: ChannelFinding): boolean {
  return finding.kind === "own" && finding.missing.length === 0;
}

/** Why no post can go to the channel; undefined when one may be tried. */
export function refusalOf(finding: ChannelFinding): PostProblem | undefined {
  return finding.kind === "own" ? undefined : PROBLEMS[finding.kind];
}

/**
 * What stands against posting an announcement in the channel, or against showing all of it.
 *
 * @param mentions - Absent where the announcement is not known: then nothing is said about mentions.
 */
export function problemOf(finding: ChannelFinding, mentions?: Mentions): PostProblem | undefined {
  if (finding.kind !== "own") return PROBLEMS[finding.kind];
  const missing = finding.missing.filter(
    (permission) =>
      permission !== "MENTION_EVERYONE" || (mentions !== undefined && needsMentionRight(finding, mentions)),
  );
  if (missing.length === 0) return undefined;
  return { code: "PERMISSION_MISSING", message: `the bot lacks ${missing.join(", ")} in the channel` };
}

/** @everyone, @here, and roles that not everybody may mention notify nobody without the permission. */
function needsMentionRight(
  { mentionableRoles }: Extract<ChannelFinding, { kind: "own" }>,
  { subscribersRole }: Mentions,
): boolean {
  return subscribersRole.some((role) => !mentionableRoles.includes(role));
}
