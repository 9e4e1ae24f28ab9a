import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FieldProblem } from "../../contracts/field-problem.ts";
import { HTTP_ERRORS, type HttpErrorType } from "../../contracts/errors.ts";
import { type HttpResponse, jsonResponse, COMMON_HEADERS } from "./http-response.ts";

/** The parts of an error response beside its status, code and message. */
interface ResponseExtras {
  readonly errors?: readonly FieldProblem[];
  readonly headers?: HttpResponse["headers"];
}

const EXTRAS: Partial<Record<HttpErrorType, ResponseExtras>> = {
  INVALID_HTTP: { errors: [{ field: "request", code: "MALFORMED", message: "must be valid HTTP" }] },
  NO_TUNNEL: { headers: { allow: "GET, HEAD, POST" } },
};

const CODE_BY_NODE_ERROR: Readonly<Record<string, HttpErrorType>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
  HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE",
};

/**
 * Apache's default. Node's own limit, which is off (http-server.ts), would silently drop the further headers, perhaps the API
 * key.
 */
const MAX_HEADERS = 100;

/** Time for the client to close the connection after the response. */
const LINGER_MS = 1_000;

/** The response to a malformed request, for the log. */
export interface MalformedRequest {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
}

/** A socket of node:http, with the response that it is writing. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** The error in the headers of a request that Node has parsed; undefined if they are valid. */
export function headError({ rawHeaders, headers, httpVersion }: IncomingMessage): HttpErrorType | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return "HEADERS_TOO_LARGE";
  const hosts = rawHeaders.filter((text, at) => at % 2 === 0 && text.length === 4 && text.toLowerCase() === "host");
  // RFC 9112 section 3.2; RFC 9110 section 10.1.1.
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion === "1.1")) return "INVALID_HTTP";
  const expectation = headers.expect?.toLowerCase() ?? "100-continue";
  return expectation === "100-continue" ? undefined : "EXPECTATION_FAILED";
}

/** The response to a malformed request (D4); it closes the connection. */
export function httpErrorResponse(code: HttpErrorType, requestId: string): HttpResponse & { readonly body: string } {
  const { status, message } = HTTP_ERRORS[code];
  const { errors, headers }: ResponseExtras = EXTRAS[code] ?? {};
  return jsonResponse(status, { message, code, request_id: requestId, errors }, { ...headers, connection: "close" });
}

/**
 * Responds on the socket itself to input that Node cannot parse as a request. Undefined if no response is possible: the
 * connection is closed without one.
 */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: HttpSocket): MalformedRequest | undefined {
  const pending = socket._httpMessage;
  // The client may be gone. The error must not look like the response to a complete request before it, which may succeed.
  if (!socket.writable || pending?.headersSent === true || pending?.req.complete === true) {
    socket.destroy();
    return undefined;
  }
  return respondAndClose(CODE_BY_NODE_ERROR[error.code ?? ""] ?? "INVALID_HTTP", socket);
}

/** Refuses a request that arrives too slowly, as Node does after the time for the whole request. */
export function refuseTimeout(socket: Socket): void {
  refuseMalformed(Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);
}

/** Refuses the method CONNECT, for which Node would close the connection without a response. */
export function refuseTunnel(socket: Socket): MalformedRequest {
  // For CONNECT node:http removes its listeners from the socket, also the one for errors.
  socket.on("error", () => socket.destroy());
  return respondAndClose("NO_TUNNEL", socket);
}

function respondAndClose(code: HttpErrorType, socket: Socket): MalformedRequest {
  const requestId = randomUUID();
  const { status, headers, body } = httpErrorResponse(code, requestId);
  const all = { ...COMMON_HEADERS, ...headers, "content-length": Buffer.byteLength(body), "x-request-id": requestId };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"));
  const lingerTimer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(lingerTimer));
  return { status, code, requestId };
}
