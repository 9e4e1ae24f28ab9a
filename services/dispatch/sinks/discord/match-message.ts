import type { MessageBody } from "../../../contracts/dispatch.contract.ts";

/**
 * Whether a listed message is the sent one. `perhaps`: it begins alike or shows the same time, so it may be an earlier
 * version, or a message about another occurrence.
 */
export type MessageMatch = "same" | "perhaps" | "other";

/**
 * Compares letters and digits only, because Discord trims texts and may change white space and punctuation. A footer has
 * the ids of announcement and event: with the same ids and start, both are versions of one post. Without a footer, only a
 * text with its event's time differs from a post about another occurrence. A template may show no start (D61): then another
 * text with the same ids may be another version, or a post for another start.
 */
export function matchMessage(listed: unknown, sent: MessageBody): MessageMatch {
  const listedTexts = textsOf(listed);
  const sentTexts = textsOf(sent);
  const times = sentTexts.all.match(SHOWN_TIME) ?? [];
  const [start] = times;
  const showsStart = start !== undefined && listedTexts.all.includes(start);
  const isSameText = lettersOf(sentTexts.all) === lettersOf(listedTexts.all);
  if (sentTexts.ids !== "" && listedTexts.ids !== "") {
    if (sentTexts.ids !== listedTexts.ids) return "other";
    if (start === undefined) return isSameText ? "same" : "perhaps";
    return showsStart ? "same" : "other";
  }
  if (showsStart && isSameText) return "same";
  // The embed of an earlier version may have had any text.
  if (start === undefined && sentTexts.hasEmbed) return "perhaps";
  const beginning = lettersOf(sentTexts.beginning);
  const isAlike = beginning === "" || beginning === lettersOf(listedTexts.beginning);
  return isAlike || times.some((time) => listedTexts.all.includes(time)) ? "perhaps" : "other";
}

const SHOWN_TIME = /<t:\d+:F>/g;

function lettersOf(text: string): string {
  return text.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function idsIn(footer: string): string {
  return (footer.match(/\S*\d\S*/g) ?? []).join(" ");
}

interface Texts {
  readonly all: string;
  /** The title of the embed; the content if there is no title. */
  readonly beginning: string;
  /** From the footer; the same in every language. */
  readonly ids: string;
  readonly hasEmbed: boolean;
}

function textsOf(message: unknown): Texts {
  const content = textAt(message, "content");
  const embed: unknown = listAt(message, "embeds")[0];
  const fields = listAt(embed, "fields").flatMap((field) => [textAt(field, "name"), textAt(field, "value")]);
  const title = textAt(embed, "title");
  const footer = textAt(valueAt(embed, "footer"), "text");
  // Without the author: all posts of a guild have the same, and its name is not always known.
  const all = [content, title, textAt(embed, "description"), ...fields, footer].join("\n");
  return { all, beginning: title === "" ? content : title, ids: idsIn(footer), hasEmbed: embed !== undefined };
}

function valueAt(from: unknown, name: string): unknown {
  return typeof from === "object" && from !== null ? (from as Record<string, unknown>)[name] : undefined;
}

function textAt(from: unknown, name: string): string {
  const value = valueAt(from, name);
  return typeof value === "string" ? value : "";
}

function listAt(from: unknown, name: string): readonly unknown[] {
  const value = valueAt(from, name);
  return Array.isArray(value) ? value : [];
}
