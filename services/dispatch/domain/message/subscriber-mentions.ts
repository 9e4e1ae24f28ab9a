import { SNOWFLAKE } from "../../../contracts/ids.ts";
import type { AllowedMentions } from "./chat-message.ts";
import { MAX_CONTENT, MAX_MENTIONED_IDS } from "./message-limits.ts";

/** The same in every language (D33). */
const LABEL = "Subscribers:";

/** Snowflakes are unsigned 64-bit integers. Discord refuses a list with a larger number, so such an id is only in the content. */
const MAX_SNOWFLAKE = String(2n ** 64n - 1n);

/** The ids of one message by kind, in the order in which it mentions them. */
type MentionedIds = Record<Kind, string[]>;
type Kind = (typeof KINDS)[number];
const KINDS = ["users", "roles", "everyone"] as const;

/** The text before and after an id. */
const MARKS = { users: ["<@", ">"], roles: ["<@&", ">"], everyone: ["@", ""] } as const;

/** The content of one message, and the subscribers that it pings. */
export interface MentionPart {
  readonly content: string;
  readonly allowedMentions: AllowedMentions;
}

/**
 * Splits the mentions of all subscribers over as many messages as the limits of length and of ids require (D33). Each
 * subscriber is mentioned once. Without subscribers there is one part without text and mentions, for the message of the
 * announcement.
 */
export function mentionParts(roles: readonly string[], users: readonly string[]): readonly MentionPart[] {
  const mentioned: MentionedIds = {
    users: idsIn(users),
    roles: idsIn(roles),
    everyone: ["everyone", "here"].filter((word) => roles.includes(word)),
  };
  let part = noIds();
  const parts = [part];
  let length = LABEL.length;
  for (const kind of KINDS) {
    const [before, after] = MARKS[kind];
    for (const id of mentioned[kind]) {
      const added = 1 + before.length + id.length + after.length;
      if (length + added > MAX_CONTENT || part[kind].length === MAX_MENTIONED_IDS) {
        part = noIds();
        parts.push(part);
        length = LABEL.length;
      }
      part[kind].push(id);
      length += added;
    }
  }
  return parts.map(partOf);
}

function noIds(): MentionedIds {
  return { users: [], roles: [], everyone: [] };
}

function idsIn(entries: readonly string[]): string[] {
  return [...new Set(entries)].filter((entry) => SNOWFLAKE.test(entry));
}

function partOf(ids: MentionedIds): MentionPart {
  const texts = KINDS.filter((kind) => ids[kind].length > 0).map((kind) => mentionsText(kind, ids[kind]));
  return {
    content: texts.length === 0 ? "" : [LABEL, ...texts].join(" "),
    allowedMentions: {
      parse: ids.everyone.length > 0 ? ["everyone"] : [],
      users: ids.users.filter(isInRange),
      roles: ids.roles.filter(isInRange),
    },
  };
}

/** One join for all ids: a text for each of 2 000 ids was a third of the time of a burst of large announcements. */
function mentionsText(kind: Kind, ids: readonly string[]): string {
  const [before, after] = MARKS[kind];
  return before + ids.join(`${after} ${before}`) + after;
}

/** Whether an id is at most `MAX_SNOWFLAKE`. Texts of digits of the same length have the order of their numbers. */
function isInRange(id: string): boolean {
  return id.length < MAX_SNOWFLAKE.length || (id.length === MAX_SNOWFLAKE.length && id <= MAX_SNOWFLAKE);
}
