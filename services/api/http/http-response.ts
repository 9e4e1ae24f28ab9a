import type { FieldProblem } from "../../contracts/field-problem.ts";
import { ERRORS, type Refusal } from "../../contracts/errors.ts";

/** An HTTP response, before it is written to the socket. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
  /** Called once, when the response was sent completely or its connection is closed. */
  readonly onClose?: () => void;
}

/**
 * A whole body, or pieces that are written one after the other as fast as the client reads them. The pieces of a stream are
 * made when they are needed, so its length is unknown. It rejects with StreamBroken if the rest cannot be made.
 */
export type ResponseBody = string | Buffer | readonly Buffer[] | AsyncIterable<Buffer>;

/** A started body cannot be completed. The server closes its connection, so the client does not accept it as complete. */
export class StreamBroken extends Error {}

export function isStream(body: ResponseBody): body is AsyncIterable<Buffer> {
  return typeof body === "object" && Symbol.asyncIterator in body;
}

export function isWhole(body: ResponseBody): body is string | Buffer {
  return typeof body === "string" || Buffer.isBuffer(body);
}

export function byteLength(body: Exclude<ResponseBody, AsyncIterable<Buffer>>): number {
  return isWhole(body) ? Buffer.byteLength(body) : body.reduce((bytes, piece) => bytes + piece.length, 0);
}

/** Headers of every response: no content sniffing, no caching. */
export const COMMON_HEADERS = { "x-content-type-options": "nosniff", "cache-control": "no-store" };

export function jsonResponse(
  status: number,
  value: object,
  headers: HttpResponse["headers"] = {},
): HttpResponse & { readonly body: string } {
  const body = JSON.stringify(value);
  return { ...jsonTextResponse(status, body, headers), body };
}

/** A response whose body is already serialized JSON. */
export function jsonTextResponse(
  status: number,
  body: ResponseBody,
  headers: HttpResponse["headers"] = {},
): HttpResponse {
  return { status, headers: { "content-type": "application/json; charset=utf-8", ...headers }, body };
}

/** The response to a refused request (D4). The problems name fields as the client spells them. */
export function refusalResponse(
  { refusal, problems, message }: Refusal,
  requestId: string,
  headers: HttpResponse["headers"] = {},
): HttpResponse {
  const { status, message: defaultMessage } = ERRORS[refusal];
  const text = message ?? defaultMessage;
  const body = {
    message: refusal === "INVALID_REQUEST" && problems !== undefined ? messageWithProblems(text, problems) : text,
    code: refusal,
    request_id: requestId,
    ...(problems === undefined ? {} : { errors: problems }),
  };
  return jsonResponse(status, body, { ...HEADERS_BY_REFUSAL[refusal], ...headers });
}

/** How to authenticate (RFC 9110 section 11.6.1); the scheme Bearer must have a parameter (RFC 6750 section 3). */
export const CHALLENGE = 'Bearer realm="guildcal"';

const HEADERS_BY_REFUSAL: Partial<Record<Refusal["refusal"], HttpResponse["headers"]>> = {
  UNAUTHORIZED: { "www-authenticate": CHALLENGE },
  UNAVAILABLE: { "retry-after": "1" },
  // For the refusal of an owner; the gateway's rate limits replace it with the exact time.
  TOO_MANY_REQUESTS: { "retry-after": "1" },
};

/** The message names this many fields; `errors` names all. */
const MAX_FIELDS_IN_MESSAGE = 3;

function messageWithProblems(text: string, problems: readonly FieldProblem[]): string {
  const first = problems.slice(0, MAX_FIELDS_IN_MESSAGE).map(({ field, message }) => `${field} ${message}`);
  const count = problems.length - MAX_FIELDS_IN_MESSAGE;
  return `${text}: ${[...first, ...(count > 0 ? [`and ${count} more`] : [])].join("; ")}`;
}
