import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FieldProblem } from "../contracts/contract.ts";
import { SAFE_HEADERS } from "./answer.ts";

interface Told {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly FieldProblem[];
}

/** By Node's names of what is wrong. */
const TOLD: Readonly<Record<string, Told>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: "REQUEST_TIMEOUT", message: "The request took too long to arrive" },
  HPE_HEADER_OVERFLOW: { status: 431, code: "HEADERS_TOO_LARGE", message: "The headers are too large" },
};
const MALFORMED: Told = {
  status: 400,
  code: "INVALID_HTTP",
  message: "The request is not valid HTTP",
  errors: [{ field: "request", code: "MALFORMED", message: "must be valid HTTP" }],
};

/** What the sender was told, for the log. */
export interface BrokenRequest {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
}

/** A connection as node:http has it: with the answer that it is writing. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/**
 * What Node can't read as a request never becomes one: it is answered on the bare socket, in the shape of D4. Undefined
 * when there is nobody to answer.
 */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: HttpSocket): BrokenRequest | undefined {
  // Somebody else's answer may be half written, or the sender may be gone.
  if (!socket.writable || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return undefined;
  }
  const { status, code, message, errors } = TOLD[error.code ?? ""] ?? MALFORMED;
  const requestId = randomUUID();
  const body = JSON.stringify({ message, code, request_id: requestId, errors });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      ...Object.entries(SAFE_HEADERS).map(([name, value]) => `${name}: ${value}`),
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  return { status, code, requestId };
}
