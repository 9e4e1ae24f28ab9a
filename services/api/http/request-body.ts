import { isAscii } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import { parseJsonObject, unreadableBody } from "../wire/exact-json.ts";

/** D8. */
const MAX_BODY_BYTES = 65_536;

/** Bytes of an unused body that are read and discarded, so that the client reads its answer. */
const MAX_DISCARDED_BYTES = 1_048_576;

/** The client closed the connection before its body was complete; no answer is possible. */
export class SenderGone extends Error {}

/** One JSON object. */
export interface JsonBody {
  readonly fields: Readonly<Record<string, unknown>>;
  /** As it was sent. */
  readonly bytes: number;
}

/**
 * The body as one JSON object, or a refusal with 415, 413 or 400 (D8) that repeats nothing of the body.
 *
 * @param turn - Is waited for before so many bytes are parsed.
 */
export async function readJsonBody(
  request: IncomingMessage,
  turn?: (bytes: number) => Promise<void>,
): Promise<JsonBody | Refusal> {
  if (!isPlainJson(request.headers)) return refuse("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(request);
  if (isRefusal(bytes)) return bytes;
  await turn?.(bytes.length);
  const text = utf8(bytes);
  const fields = text === undefined ? "must be UTF-8" : parseJsonObject(text);
  return typeof fields === "string" ? unreadableBody(fields) : { fields, bytes: bytes.length };
}

/** The most bytes that a request's body will have, by its headers. */
export function maxBodyBytes({ headers }: IncomingMessage): number {
  return headers["transfer-encoding"] === undefined
    ? Math.min(announcedBytes(headers), MAX_BODY_BYTES)
    : MAX_BODY_BYTES;
}

/** Whether the whole body has been read. */
export function isBodyRead(request: IncomingMessage): boolean {
  return request.complete || !announcesBody(request.headers);
}

/** Whether the rest of the body is small enough to read it and keep the connection. */
export function isWorthReading({ headers }: IncomingMessage): boolean {
  return announcedBytes(headers) <= MAX_DISCARDED_BYTES;
}

/**
 * Reads and discards the rest of an unused body: at most 1 MiB, within a time limit. False if there was more. Closing a
 * connection with unread bytes resets it, and the client would see the reset instead of its answer.
 */
export async function discardBody(request: IncomingMessage, withinMs: number): Promise<boolean> {
  if (!isWorthReading(request)) return false;
  if (request.readableEnded || request.destroyed) return true;
  let size = 0;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const impatience = setTimeout(() => resolve(false), withinMs);
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_DISCARDED_BYTES) resolve(false);
  });
  for (const ending of ["end", "close", "error"]) request.once(ending, () => resolve(true));
  const isWhole = await promise;
  clearTimeout(impatience);
  return isWhole;
}

async function readBytes(request: IncomingMessage): Promise<Buffer | Refusal> {
  if (announcedBytes(request.headers) > MAX_BODY_BYTES) return refuse("PAYLOAD_TOO_LARGE");
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) resolve(refuse("PAYLOAD_TOO_LARGE"));
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once("error", () => reject(new SenderGone()));
    // Every request ends with `close`, and creating an error costs more than the rest of this function.
    request.once("close", () => void (request.complete || reject(new SenderGone())));
  });
}

function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const { "content-encoding": encoding, "content-type": type = "" } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return false;
  return type === "application/json" || /^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i.test(type);
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || announcedBytes(headers) > 0;
}

function announcedBytes(headers: IncomingHttpHeaders): number {
  return Number(headers["content-length"] ?? 0);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function utf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString("latin1");
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
