import type { HttpAnswer } from "../http-client.ts";
import type { ChannelPermission } from "../../domain/post/channel-finding.ts";
import type { Lookup } from "../sink.ts";
import { parsed, readAnswerBody } from "./response-body.ts";
import { reasonOf } from "./response-outcome.ts";
import { type MessageMatch, matchMessage } from "./match-message.ts";
import type { MessageBody } from "../../../contracts/dispatch.contract.ts";

/** As many as one answer can list. */
export const PAGE_SIZE = 100;

/** Clocks that differ, and a time-stamp that is cut to seconds. */
const SLACK_MS = 10_000;

/** What is looked for. */
export interface SentMessage {
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
 * compared. "Absent" is said only when the list proves it: it reaches back far enough by the receiver's own clock, and
 * nothing in it could be ours. An empty list is `empty`: without the permission to read history every list is.
 */
export function lookupIn(answer: HttpAnswer, sought: SentMessage): Lookup | { readonly kind: "empty" } {
  if (answer.kind !== "answered") return { kind: "unreachable" };
  const listed = answer.status === 200 ? parsed(answer.body) : undefined;
  if (!Array.isArray(listed)) return refusedLookup(answer);
  if (listed.length === 0) return { kind: "empty" };
  const messages = listed.filter(isListedMessage);
  const from = Date.parse(answer.headers.date ?? "") - sought.triedMsAgo - SLACK_MS;
  const recent = messages.filter(({ timestamp }) => Date.parse(timestamp) >= from);
  const judged = recent.map((message) => ({ id: message.id, likeness: likenessTo(message, sought) }));
  const same = judged.find(({ likeness }) => likeness === "same");
  if (same !== undefined) return { kind: "found", messageId: same.id };
  const reachesBack = messages.length < PAGE_SIZE || recent.length < messages.length;
  const isWhole = messages.length === listed.length && !Number.isNaN(from) && reachesBack;
  return { kind: isWhole && judged.every(({ likeness }) => likeness === "other") ? "absent" : "unreachable" };
}

/**
 * What an empty list says: all of it where the bot may read history, and nothing where it may not.
 *
 * @param missing - The permissions that the bot lacks in the channel; undefined when they can't be known.
 */
export function emptyLookup(missing: readonly ChannelPermission[] | undefined): Lookup {
  const lacked = missing?.find((permission) => permission === "VIEW_CHANNEL" || permission === "READ_MESSAGE_HISTORY");
  if (lacked !== undefined) return { kind: "unreachable", reason: `the bot lacks ${lacked} in the channel` };
  return { kind: missing === undefined ? "unreachable" : "absent" };
}

/** Why the channel does not show its messages, where Discord says it. */
function refusedLookup({ status, body }: HttpAnswer & { kind: "answered" }): Lookup {
  const told = readAnswerBody(body);
  return told?.code === undefined ? { kind: "unreachable" } : { kind: "unreachable", reason: reasonOf(status, told) };
}

/** By its nonce where that is shown, else by its author and by what was sent. */
function likenessTo(message: ListedMessage, { nonce, versions, author }: SentMessage): MessageMatch {
  if (message.nonce !== undefined) return String(message.nonce) === nonce ? "same" : "other";
  const { id, bot } = message.author ?? {};
  if (author === undefined ? bot !== true : id !== author) return "other";
  const likenesses = new Set(versions.map((body) => matchMessage(message, body)));
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
