import type { MessageBody } from "../../../contracts/dispatch.contract.ts";

/**
 * Whether a listed message is the one that was sent. `perhaps` when nobody can tell: it begins alike or is about the
 * same time, so it may be an earlier version, or what was sent could have been sent for another occurrence too.
 */
export type MessageMatch = "same" | "perhaps" | "other";

/**
 * Compares letters and digits alone: Discord trims texts and may change white space and signs, never those. The ids
 * in a footer name announcement and event: with the same start it is the same post, in whatever version. Without
 * them only a text that shows its event's time can be told from a post about another occurrence.
 */
export function matchMessage(listed: unknown, sent: MessageBody): MessageMatch {
  const there = textsOf(listed);
  const ours = textsOf(sent);
  const times = ours.all.match(SHOWN_TIME) ?? [];
  const [start] = times;
  const showsStart = start !== undefined && there.all.includes(start);
  if (ours.ids !== "" && there.ids !== "") return ours.ids === there.ids && showsStart ? "same" : "other";
  if (showsStart && lettersOf(ours.all) === lettersOf(there.all)) return "same";
  // Without a time and with a box: the box of an earlier version may have said anything.
  if (start === undefined && ours.hasBox) return "perhaps";
  const beginning = lettersOf(ours.beginning);
  const isAlike = beginning === "" || beginning === lettersOf(there.beginning);
  return isAlike || times.some((time) => there.all.includes(time)) ? "perhaps" : "other";
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
  /** The title of the box; the content when there is none. */
  readonly beginning: string;
  /** In the footer, whatever the language around them. */
  readonly ids: string;
  readonly hasBox: boolean;
}

function textsOf(message: unknown): Texts {
  const content = textAt(message, "content");
  const embed: unknown = listAt(message, "embeds")[0];
  const fields = listAt(embed, "fields").flatMap((field) => [textAt(field, "name"), textAt(field, "value")]);
  const title = textAt(embed, "title");
  const footer = textAt(valueAt(embed, "footer"), "text");
  // Without the author: the guild's name is the same in all its posts, and not always known.
  const all = [content, title, textAt(embed, "description"), ...fields, footer].join("\n");
  return { all, beginning: title === "" ? content : title, ids: idsIn(footer), hasBox: embed !== undefined };
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
