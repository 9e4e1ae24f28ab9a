import type { HttpAnswer } from "../http-client.ts";
import type { Lookup } from "../sink.ts";
import { parsed } from "./answer-body.ts";
import { type Likeness, likenessOf } from "./likeness.ts";
import type { MessageBody } from "../../contracts/dispatch.contract.ts";

/** As many as one answer can list. */
export const PAGE_SIZE = 100;

/** Clocks that differ, and a time-stamp that is cut to seconds. */
const SLACK_MS = 10_000;

/** What is looked for. */
export interface Sought {
  readonly nonce: string;
  /** Its texts, as far as they are known; another process may have sent another version. */
  readonly versions: readonly MessageBody[];
  /** Since it may have been sent first. */
  readonly triedMsAgo: number;
  /** The bot's own user id, where it is known: then what others said is not looked at. */
  readonly author: string | undefined;
}

/**
 * What a list of a channel's latest messages says about the one that is sought.
 *
 * Discord shows a nonce to whoever creates a message and leaves it out of lists, so author, time and texts are
 * compared. "Absent" is said only when the list proves it: it is not empty (without the right to read history every
 * list is), it reaches back far enough by the receiver's own clock, and nothing in it could be ours.
 */
export function lookupIn(answer: HttpAnswer, sought: Sought): Lookup {
  const listed = answer.kind === "answered" && answer.status === 200 ? parsed(answer.body) : undefined;
  if (answer.kind !== "answered" || !Array.isArray(listed)) return { kind: "unreachable" };
  const messages = listed.filter(isListedMessage);
  const from = Date.parse(answer.headers.date ?? "") - sought.triedMsAgo - SLACK_MS;
  const recent = messages.filter(({ timestamp }) => Date.parse(timestamp) >= from);
  const judged = recent.map((message) => ({ id: message.id, likeness: likenessTo(message, sought) }));
  const same = judged.find(({ likeness }) => likeness === "same");
  if (same !== undefined) return { kind: "found", messageId: same.id };
  const reachesBack = messages.length < PAGE_SIZE || recent.length < messages.length;
  const isWhole = messages.length === listed.length && messages.length > 0 && !Number.isNaN(from) && reachesBack;
  return { kind: isWhole && judged.every(({ likeness }) => likeness === "other") ? "absent" : "unreachable" };
}

/** By its nonce where that is shown, else by its author and by what was sent. */
function likenessTo(message: ListedMessage, { nonce, versions, author }: Sought): Likeness {
  if (message.nonce !== undefined) return String(message.nonce) === nonce ? "same" : "other";
  const { id, bot } = message.author ?? {};
  if (author === undefined ? bot !== true : id !== author) return "other";
  const likenesses = new Set(versions.map((body) => likenessOf(message, body)));
  return (["same", "perhaps"] as const).find((likeness) => likenesses.has(likeness)) ?? "other";
}

interface ListedMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly nonce?: string | number;
  readonly author?: { readonly id?: string; readonly bot?: boolean };
}

function isListedMessage(entry: unknown): entry is ListedMessage {
  const { id, timestamp } = (entry ?? {}) as Record<string, unknown>;
  return typeof id === "string" && typeof timestamp === "string" && !Number.isNaN(Date.parse(timestamp));
}
