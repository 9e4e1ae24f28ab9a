import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SAFE_HEADERS } from "./answer.ts";

const BROKEN: Record<string, [line: string, code: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "REQUEST_TIMEOUT", "The request took too long to arrive"],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "HEADERS_TOO_LARGE", "The headers are too large"],
};
const MALFORMED = ["400 Bad Request", "INVALID_HTTP", "The request is not valid HTTP"] as const;

/** A connection as node:http has it: with the answer that it is writing. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** What Node can't read as a request never becomes one: it is answered on the bare socket, in the shape of D4. */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  // Somebody else's answer may be half written, or the sender may be gone.
  if (!socket.writable || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return;
  }
  const [line, code, message] = BROKEN[error.code ?? ""] ?? MALFORMED;
  const requestId = randomUUID();
  const body = JSON.stringify({ message, code, request_id: requestId });
  socket.end(
    [
      `HTTP/1.1 ${line}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      ...Object.entries(SAFE_HEADERS).map(([name, value]) => `${name}: ${value}`),
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
