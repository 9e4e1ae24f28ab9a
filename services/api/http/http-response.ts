import type { FieldProblem } from "../../contracts/contract.ts";
import { ERRORS, type Refusal } from "../../contracts/errors.ts";

/** The HTTP response to a request, before it is written to the socket. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AnswerBody;
  /** Called when the client has received the answer or the connection is closed; may be called twice. */
  readonly onTaken?: () => void;
}

/**
 * A whole body, or pieces that are written one after the other as fast as the client reads them. Pieces of a stream are made
 * when they are needed, and its length is not known; it rejects with StreamBroken where the rest cannot be made.
 */
export type AnswerBody = string | Buffer | readonly Buffer[] | AsyncIterable<Buffer>;

/** A body that was begun and cannot be ended: its connection is closed, so that its reader does not take it for whole. */
export class StreamBroken extends Error {}

/** Headers of every answer: no content sniffing, no caching. */
export const SAFE_HEADERS = { "x-content-type-options": "nosniff", "cache-control": "no-store" };

export function jsonAnswer(
  status: number,
  value: object,
  headers: Answer["headers"] = {},
): Answer & { readonly body: string } {
  const body = JSON.stringify(value);
  return { ...jsonTextAnswer(status, body, headers), body };
}

/** An answer whose body is JSON already. */
export function jsonTextAnswer(status: number, body: AnswerBody, headers: Answer["headers"] = {}): Answer {
  return { status, headers: { "content-type": "application/json; charset=utf-8", ...headers }, body };
}

/** The body and headers of an error (D4). The problems name fields as the client spells them. */
export function refusalAnswer(
  { refusal, problems, message }: Refusal,
  requestId: string,
  headers: Answer["headers"] = {},
): Answer {
  const { status, message: usual } = ERRORS[refusal];
  const text = message ?? usual;
  const body = {
    message: refusal === "INVALID_REQUEST" && problems !== undefined ? sentence(text, problems) : text,
    code: refusal,
    request_id: requestId,
    ...(problems === undefined ? {} : { errors: problems }),
  };
  return jsonAnswer(status, body, { ...HEADERS_OF[refusal], ...headers });
}

/** How to authenticate (RFC 9110 section 11.6.1); the scheme Bearer must have a parameter (RFC 6750 section 3). */
export const CHALLENGE = 'Bearer realm="guildcal"';

const HEADERS_OF: Partial<Record<Refusal["refusal"], Answer["headers"]>> = {
  UNAUTHORIZED: { "www-authenticate": CHALLENGE },
  UNAVAILABLE: { "retry-after": "1" },
  // For the refusal of an owner; the gateway's rate limits replace it with the exact time.
  TOO_MANY_REQUESTS: { "retry-after": "1" },
};

/** Number of fields that the message names; `errors` names all. */
const MAX_NAMED = 3;

function sentence(text: string, problems: readonly FieldProblem[]): string {
  const named = problems.slice(0, MAX_NAMED).map(({ field, message }) => `${field} ${message}`);
  const more = problems.length > MAX_NAMED ? [`and ${problems.length - MAX_NAMED} more`] : [];
  return `${text}: ${[...named, ...more].join("; ")}`;
}
