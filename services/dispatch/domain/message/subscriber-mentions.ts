import { SNOWFLAKE } from "../../../contracts/ids.ts";
import type { AllowedMentions } from "./chat-message.ts";
import { MAX_CONTENT, MAX_MENTIONED_IDS } from "./message-limits.ts";

/** The same in every language (D33). */
const LABEL = "Subscribers:";

/** Snowflakes are unsigned 64-bit integers. Discord refuses a list with a larger number. */
const MAX_SNOWFLAKE = 2n ** 64n - 1n;

interface Mention {
  readonly text: string;
  readonly kind: "users" | "roles" | "everyone";
  readonly id: string;
}

/** The content of one message, and the subscribers that it pings. */
export interface MentionPart {
  readonly content: string;
  readonly allowedMentions: AllowedMentions;
}

/**
 * Splits the mentions of all subscribers over as many messages as the limits of length and of ids require (D33). Each
 * subscriber is mentioned once. Without subscribers there is one part without text and mentions.
 */
export function mentionParts(roles: readonly string[], users: readonly string[]): readonly MentionPart[] {
  const parts: Mention[][] = [[]];
  let length = LABEL.length;
  for (const mention of mentionsOf(roles, users)) {
    const part = parts.at(-1) ?? [];
    const fits = length + 1 + mention.text.length <= MAX_CONTENT && hasRoom(part, mention);
    if (fits) part.push(mention);
    else parts.push([mention]);
    length = (fits ? length : LABEL.length) + 1 + mention.text.length;
  }
  return parts.map(partOf);
}

function mentionsOf(roles: readonly string[], users: readonly string[]): Mention[] {
  return [
    ...idsIn(users).map((id) => ({ text: `<@${id}>`, kind: "users" as const, id })),
    ...idsIn(roles).map((id) => ({ text: `<@&${id}>`, kind: "roles" as const, id })),
    ...["everyone", "here"]
      .filter((word) => roles.includes(word))
      .map((word) => ({ text: `@${word}`, kind: "everyone" as const, id: word })),
  ];
}

function idsIn(entries: readonly string[]): string[] {
  return [...new Set(entries)].filter((entry) => SNOWFLAKE.test(entry));
}

function hasRoom(part: readonly Mention[], { kind }: Mention): boolean {
  return part.filter((mention) => mention.kind === kind).length < MAX_MENTIONED_IDS;
}

function partOf(mentions: readonly Mention[]): MentionPart {
  const idsOf = (kind: Mention["kind"]) =>
    mentions.filter((mention) => mention.kind === kind && BigInt(mention.id) <= MAX_SNOWFLAKE).map(({ id }) => id);
  return {
    content: mentions.length === 0 ? "" : [LABEL, ...mentions.map(({ text }) => text)].join(" "),
    allowedMentions: {
      parse: mentions.some(({ kind }) => kind === "everyone") ? ["everyone"] : [],
      users: idsOf("users"),
      roles: idsOf("roles"),
    },
  };
}
