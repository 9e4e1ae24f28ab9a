import type { HttpAnswer } from "../http-client.ts";
import type { Lookup } from "../sink.ts";
import { parsed } from "./answer-body.ts";
import { type Likeness, likenessOf } from "./likeness.ts";
import type { MessageBody } from "../../contracts/dispatch.contract.ts";

/** As many as one answer can list. */
export const PAGE_SIZE = 100;

/** A post is looked for within its grace time: nothing older can be it. */
const LOOK_BACK_MS = 3_600_000;

/**
 * What a list of a channel's latest messages says about the one with this nonce.
 *
 * Discord shows a nonce to whoever creates a message and may leave it out of lists, so where it is known what was
 * sent the texts are compared. "Absent" is said only when the list proves it: it is not empty (without the right to
 * read history every list is), it reaches back far enough by the receiver's own clock, and nothing in it could be ours.
 *
 * @param sent - What was sent under this nonce as far as it is known; another process may have sent it before.
 */
export function lookupIn(answer: HttpAnswer, nonce: string, sent?: readonly MessageBody[]): Lookup {
  const listed = answer.kind === "answered" && answer.status === 200 ? parsed(answer.body) : undefined;
  if (answer.kind !== "answered" || !Array.isArray(listed)) return { kind: "unreachable" };
  const messages = listed.filter(isListedMessage);
  const from = Date.parse(answer.headers.date ?? "") - LOOK_BACK_MS;
  const recent = messages.filter(({ timestamp }) => Date.parse(timestamp) >= from);
  const judged = recent.map((message) => ({ id: message.id, likeness: likenessTo(message, nonce, sent) }));
  const same = judged.find(({ likeness }) => likeness === "same");
  if (same !== undefined) return { kind: "found", messageId: same.id };
  const reachesBack = messages.length < PAGE_SIZE || recent.length < messages.length;
  const isWhole = messages.length === listed.length && messages.length > 0 && !Number.isNaN(from) && reachesBack;
  return { kind: isWhole && judged.every(({ likeness }) => likeness === "other") ? "absent" : "unreachable" };
}

/** By its nonce where that is shown, else by its author and by what was sent. */
function likenessTo(message: ListedMessage, nonce: string, sent: readonly MessageBody[] | undefined): Likeness {
  if (message.nonce !== undefined) return String(message.nonce) === nonce ? "same" : "other";
  if (message.author?.bot !== true) return "other";
  const likenesses = sent?.map((body) => likenessOf(message, body)) ?? ["perhaps"];
  return (["same", "perhaps"] as const).find((likeness) => likenesses.includes(likeness)) ?? "other";
}

interface ListedMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly nonce?: string | number;
  readonly author?: { readonly bot?: boolean };
}

function isListedMessage(entry: unknown): entry is ListedMessage {
  const { id, timestamp } = (entry ?? {}) as Record<string, unknown>;
  return typeof id === "string" && typeof timestamp === "string" && !Number.isNaN(Date.parse(timestamp));
}
