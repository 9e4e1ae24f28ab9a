import type { ServerResponse } from "node:http";
import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import type { Connections } from "./connections.ts";
import { byteLength, COMMON_HEADERS, type HttpResponse, isStream } from "./http-response.ts";
import { discardBody } from "./request-body.ts";

const COMMON_HEADER_ENTRIES = Object.entries(COMMON_HEADERS);

/** Alternating names and values, which node:http writes unchanged; it would iterate an object twice. */
export function headerLines(
  { status, headers, body }: HttpResponse,
  requestId: string,
  isLastOfConnection: boolean,
): string[] {
  const lines: string[] = [];
  for (const [name, value] of COMMON_HEADER_ENTRIES) if (headers[name] === undefined) lines.push(name, value);
  // A 304 has the length of the body that it does not send, or none (RFC 9110 section 8.6).
  if (!isStream(body) && status !== 304) lines.push("content-length", String(byteLength(body)));
  lines.push("x-request-id", requestId);
  for (const [name, value] of Object.entries(headers)) lines.push(name, value);
  if (isLastOfConnection && headers["connection"] === undefined) lines.push("connection", "close");
  return lines;
}

/** Writes each piece after the client has read the one before. For a fast client, pauses keep the event loop free. */
export async function writePieces(
  pieces: readonly Buffer[],
  response: ServerResponse,
  connections: Connections,
): Promise<void> {
  const { socket } = response.req;
  const bytes = byteLength(pieces);
  const slices = new TimeSlice();
  for (const piece of pieces) {
    if (response.destroyed) return;
    const hasRoom = response.write(piece);
    connections.responseWritten(socket, response, bytes);
    const isSlowReader = socket.writableLength > 0;
    if (!hasRoom && !response.destroyed) await waitForDrain(response);
    if (isSlowReader) slices.begin();
    else if (slices.isOver) await slices.rest();
  }
  response.end();
}

/** Requests each piece after the client has read the one before. A response to HEAD needs none. */
export async function writeStream(
  pieces: AsyncIterable<Buffer>,
  response: ServerResponse,
  connections: Connections,
): Promise<void> {
  const { socket, method } = response.req;
  if (method === "HEAD") return void response.end();
  for await (const piece of pieces) {
    if (response.destroyed) return;
    const hasRoom = response.write(piece);
    connections.responseWritten(socket, response, piece.length);
    if (!hasRoom && !response.destroyed) await waitForDrain(response);
    connections.pieceRead(socket, response);
  }
  response.end();
}

/** Time limits of the end of a request whose response was written before the request was read. */
interface EarlyResponseLimits {
  /** Milliseconds for the rest of the request to arrive. */
  readonly discardMs: number;
  /** Milliseconds for the client to close the connection after that. */
  readonly lingerMs: number;
}

/** After an early response: reads the request to its end, or closes the connection if the rest is too long or too slow. */
export async function readToTheEnd(
  response: ServerResponse,
  { discardMs, lingerMs }: EarlyResponseLimits,
): Promise<void> {
  const request = response.req;
  if (await discardBody(request, discardMs)) return void response.end();
  const { socket } = request;
  // FIN instead of RST: a reset could arrive before the client has read its response.
  request.pause();
  socket.end();
  const lingerTimer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(lingerTimer));
}

/** Resolves when the client has read enough for another piece, or when the response is closed. */
function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
