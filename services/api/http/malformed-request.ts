import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FieldProblem } from "../../contracts/contract.ts";
import { HTTP_ERRORS, type HttpErrorType } from "../../contracts/errors.ts";
import { type Answer, jsonAnswer, SAFE_HEADERS } from "./http-response.ts";

/** What an answer has beside the message. */
interface Also {
  readonly errors?: readonly FieldProblem[];
  readonly headers?: Answer["headers"];
}

const ALSO: Partial<Record<HttpErrorType, Also>> = {
  INVALID_HTTP: { errors: [{ field: "request", code: "MALFORMED", message: "must be valid HTTP" }] },
  NO_TUNNEL: { headers: { allow: "GET, HEAD, POST" } },
};

const CODE_OF_NODES: Readonly<Record<string, HttpErrorType>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
};

/** As many as Apache takes. Node would leave out what comes after its 2 000th without a word, a key among it. */
const MAX_HEADERS = 100;

/** How long somebody who was told may take to hang up. */
const LINGER_MS = 1_000;

/** What the sender was told, for the log. */
export interface BrokenRequest {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
}

/** A connection as node:http has it: with the answer that it is writing. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** What is wrong with the head of a request that Node could read; undefined for nothing. */
export function brokenHead({ rawHeaders, headers, httpVersion }: IncomingMessage): HttpErrorType | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return "HEADERS_TOO_LARGE";
  const hosts = rawHeaders.filter((text, at) => at % 2 === 0 && text.length === 4 && text.toLowerCase() === "host");
  // RFC 9112 section 3.2; RFC 9110 section 10.1.1.
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === "1.1")) return "INVALID_HTTP";
  const expected = headers.expect?.toLowerCase() ?? "100-continue";
  return expected === "100-continue" ? undefined : "EXPECTATION_FAILED";
}

/** The answer to what is no request, in the shape of D4; the connection is of no use after it. */
export function brokenAnswer(code: HttpErrorType, requestId: string): Answer & { readonly body: string } {
  const { status, message } = HTTP_ERRORS[code];
  const { errors, headers }: Also = ALSO[code] ?? {};
  return jsonAnswer(status, { message, code, request_id: requestId, errors }, { ...headers, connection: "close" });
}

/**
 * What Node can't read as a request never becomes one: it is answered on the bare socket, in the shape of D4. Undefined
 * when there is nobody to answer.
 */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: HttpSocket): BrokenRequest | undefined {
  const underWay = socket._httpMessage;
  // The sender may be gone. What is broken behind a whole request must not pass for that one's answer: it may be done.
  if (!socket.writable || underWay?.headersSent === true || underWay?.req.complete === true) {
    socket.destroy();
    return undefined;
  }
  return hangUp(CODE_OF_NODES[error.code ?? ""] ?? "INVALID_HTTP", socket);
}

/** A tunnel through the gateway is asked for; Node would end the connection without a word. */
export function refuseTunnel(socket: Socket): BrokenRequest {
  // With the tunnel node:http has let go of the socket, its errors included.
  socket.on("error", () => socket.destroy());
  return hangUp("NO_TUNNEL", socket);
}

function hangUp(code: HttpErrorType, socket: Socket): BrokenRequest {
  const requestId = randomUUID();
  const { status, headers, body } = brokenAnswer(code, requestId);
  const all = { ...SAFE_HEADERS, ...headers, "content-length": Buffer.byteLength(body), "x-request-id": requestId };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"));
  const impatience = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(impatience));
  return { status, code, requestId };
}
