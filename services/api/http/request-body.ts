import { isAscii } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import { parseJsonObject, invalidBody } from "../wire/exact-json.ts";

/** The limit of D8. */
const MAX_BODY_BYTES = 65_536;

/** Bytes of an unused body that are read and discarded, so that the client reads its response. */
const MAX_DISCARDED_BYTES = 1_048_576;

/** The client closed the connection before its body was complete; no response is possible. */
export class ClientDisconnected extends Error {}

/** The JSON object in a request body. */
export interface JsonBody {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Size of the body as sent. */
  readonly bytes: number;
}

/**
 * The body as one JSON object, or a refusal with 415, 413 or 400 (D8) that repeats nothing of the body.
 *
 * @param beforeParse - Called with the size of the body; parsing waits for it.
 */
export async function readJsonBody(
  request: IncomingMessage,
  beforeParse?: (bytes: number) => Promise<void>,
): Promise<JsonBody | Refusal> {
  if (!isPlainJson(request.headers)) return refuse("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readBytes(request);
  if (isRefusal(bytes)) return bytes;
  await beforeParse?.(bytes.length);
  const text = decodeUtf8(bytes);
  const fields = text === undefined ? "must be UTF-8" : parseJsonObject(text);
  return typeof fields === "string" ? invalidBody(fields) : { fields, bytes: bytes.length };
}

/** The largest size of an accepted body that the headers allow. */
export function maxBodyBytes({ headers }: IncomingMessage): number {
  return headers["transfer-encoding"] === undefined ? Math.min(contentLength(headers), MAX_BODY_BYTES) : MAX_BODY_BYTES;
}

/** Whether the whole body has been read. */
export function isBodyRead(request: IncomingMessage): boolean {
  return request.complete || !hasBody(request.headers);
}

/** Whether the body, by its `Content-Length`, is small enough to read its rest and keep the connection. */
export function isDiscardable({ headers }: IncomingMessage): boolean {
  return contentLength(headers) <= MAX_DISCARDED_BYTES;
}

/**
 * Reads and discards the rest of an unused body. False if it is longer than 1 MiB, or takes longer than the limit. Closing a
 * connection with unread bytes resets it, and the client would see the reset instead of its response.
 */
export async function discardBody(request: IncomingMessage, withinMs: number): Promise<boolean> {
  if (!isDiscardable(request)) return false;
  if (request.readableEnded || request.destroyed) return true;
  let size = 0;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), withinMs);
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_DISCARDED_BYTES) resolve(false);
  });
  for (const event of ["end", "close", "error"]) request.once(event, () => resolve(true));
  const isComplete = await promise;
  clearTimeout(timer);
  return isComplete;
}

async function readBytes(request: IncomingMessage): Promise<Buffer | Refusal> {
  if (contentLength(request.headers) > MAX_BODY_BYTES) return refuse("PAYLOAD_TOO_LARGE");
  // A connection that was lost before has had its events: none of those below would come.
  if (request.destroyed && !request.readableEnded) throw new ClientDisconnected();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) resolve(refuse("PAYLOAD_TOO_LARGE"));
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once("error", () => reject(new ClientDisconnected()));
    // Every request ends with `close`, and creating an error costs more than the rest of this function.
    request.once("close", () => void (request.complete || reject(new ClientDisconnected())));
  });
}

function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const { "content-encoding": encoding, "content-type": type = "" } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return false;
  return type === "application/json" || /^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i.test(type);
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers["transfer-encoding"] !== undefined || contentLength(headers) > 0;
}

function contentLength(headers: IncomingHttpHeaders): number {
  return Number(headers["content-length"] ?? 0);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString("latin1");
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
