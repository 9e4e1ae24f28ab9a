import type { HttpResult } from "../../../../mixins/http/http-client.ts";
import type { ChannelPermission } from "../../domain/post/channel-finding.ts";
import type { Lookup } from "../sink.ts";
import { parseJson, parseResponseBody } from "./response-body.ts";
import { responseReason } from "./response-outcome.ts";
import { type MessageMatch, matchMessage } from "./match-message.ts";
import type { MessageBody } from "../../../contracts/dispatch.contract.ts";

/** Discord's maximum. */
export const PAGE_SIZE = 100;

/** Difference of clocks, and timestamps that are truncated to seconds. */
const CLOCK_SKEW_MS = 10_000;

export interface SentMessage {
  readonly nonce: string;
  /** The known bodies; another process may have sent another version. */
  readonly versions: readonly MessageBody[];
  /** Milliseconds since the first attempt. */
  readonly triedMsAgo: number;
  /** The bot's own user id, if it is known. Messages of other users are not compared. */
  readonly author: string | undefined;
}

/**
 * Searches the sent message in a list of a channel's latest messages.
 *
 * Lists have no nonces, so author, time and texts are compared. The message is `absent` only if the list proves it: the
 * list reaches back far enough by Discord's clock, and no message in it could be the sent one. An empty list is `empty`,
 * because every list is empty without the permission to read history.
 */
export function findSentMessage(result: HttpResult, sought: SentMessage): Lookup | { readonly kind: "empty" } {
  if (result.kind !== "response") return { kind: "unreachable" };
  const listed = result.status === 200 ? parseJson(result.body) : undefined;
  if (!Array.isArray(listed)) return refusedLookup(result);
  if (listed.length === 0) return { kind: "empty" };
  const messages = listed.filter(isListedMessage);
  const from = Date.parse(result.headers.date ?? "") - sought.triedMsAgo - CLOCK_SKEW_MS;
  const recent = messages.filter(({ timestamp }) => Date.parse(timestamp) >= from);
  const matches = recent.map((message) => ({ id: message.id, match: matchOf(message, sought) }));
  const same = matches.find(({ match }) => match === "same");
  if (same !== undefined) return { kind: "found", messageId: same.id };
  const reachesBack = messages.length < PAGE_SIZE || recent.length < messages.length;
  const isComplete = messages.length === listed.length && !Number.isNaN(from) && reachesBack;
  return { kind: isComplete && matches.every(({ match }) => match === "other") ? "absent" : "unreachable" };
}

/**
 * The result of an empty list: it proves absence if the bot may read the channel's history.
 *
 * @param missing - The permissions that the bot lacks in the channel; undefined if they are not known.
 */
export function emptyListLookup(missing: readonly ChannelPermission[] | undefined): Lookup {
  const lacked = missing?.find((permission) => permission === "VIEW_CHANNEL" || permission === "READ_MESSAGE_HISTORY");
  if (lacked !== undefined) return { kind: "unreachable", reason: `the bot lacks ${lacked} in the channel` };
  return { kind: missing === undefined ? "unreachable" : "absent" };
}

/** With the reason that Discord gives for not listing the messages, if it gives one. */
function refusedLookup({ status, body }: HttpResult & { kind: "response" }): Lookup {
  const error = parseResponseBody(body);
  return error?.code === undefined
    ? { kind: "unreachable" }
    : { kind: "unreachable", reason: responseReason(status, error) };
}

/** Compares the nonce if the message shows one, otherwise the author and the bodies. */
function matchOf(message: ListedMessage, { nonce, versions, author }: SentMessage): MessageMatch {
  if (message.nonce !== undefined) return String(message.nonce) === nonce ? "same" : "other";
  const { id, bot } = message.author ?? {};
  if (author === undefined ? bot !== true : id !== author) return "other";
  const bodyMatches = new Set(versions.map((body) => matchMessage(message, body)));
  return (["same", "perhaps"] as const).find((match) => bodyMatches.has(match)) ?? "other";
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
