import type { HttpAnswer } from "../http-client.ts";
import type { Lookup } from "../sink.ts";
import { parsed } from "./answer-body.ts";

/** As many as one answer can list. */
export const PAGE_SIZE = 100;

/** A post is looked for within its grace time; nothing older can be it. */
const LOOK_BACK_MS = 3_600_000;

/**
 * What a list of a channel's latest messages says about the one with this nonce.
 *
 * Discord shows a message's nonce to whoever created it and may leave it out of lists. So "absent" is said only
 * when the list proves it: it is not empty (without the right to read history every list is), it reaches back far
 * enough, and no message of a bot in it is without a nonce, for that one could be ours.
 */
export function lookupIn(answer: HttpAnswer, nonce: string, nowEpochMs: number): Lookup {
  const listed = answer.kind === "answered" && answer.status === 200 ? parsed(answer.body) : undefined;
  if (!Array.isArray(listed)) return { kind: "unreachable" };
  const messages = listed.filter(isListedMessage);
  const found = messages.find((message) => String(message.nonce ?? "") === nonce);
  if (found !== undefined) return { kind: "found", messageId: found.id };
  const recent = messages.filter(({ timestamp }) => !isOld(timestamp, nowEpochMs));
  const reachesBack = messages.length < PAGE_SIZE || recent.length < messages.length;
  const couldBeOurs = recent.some(({ author, nonce: shown }) => author?.bot === true && shown === undefined);
  const isProof = messages.length === listed.length && messages.length > 0 && reachesBack && !couldBeOurs;
  return { kind: isProof ? "absent" : "unreachable" };
}

interface ListedMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly nonce?: string | number;
  readonly author?: { readonly bot?: boolean };
}

function isListedMessage(entry: unknown): entry is ListedMessage {
  const { id, timestamp } = (entry ?? {}) as Record<string, unknown>;
  return typeof id === "string" && typeof timestamp === "string";
}

function isOld(timestamp: string, nowEpochMs: number): boolean {
  return Date.parse(timestamp) < nowEpochMs - LOOK_BACK_MS;
}
