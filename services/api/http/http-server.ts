import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { EndOfTurn } from "../../../mixins/async/end-of-turn.ts";
import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import { refuse } from "../../contracts/errors.ts";
import {
  byteLength,
  type HttpResponse,
  isStream,
  isWhole,
  refusalResponse,
  COMMON_HEADERS,
  StreamBroken,
} from "./http-response.ts";
import {
  httpErrorResponse,
  headError,
  type MalformedRequest,
  refuseMalformed,
  refuseTunnel,
} from "./malformed-request.ts";
import { Connections, type RequestDecision, MAX_PIPELINED } from "./connections.ts";
import { ListeningSockets } from "./listening-sockets.ts";
import { discardBody, isBodyRead, isDiscardable, ClientDisconnected } from "./request-body.ts";

/** A request and the status of its response, for the log. */
export interface ServedRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly status: number;
  readonly ms: number;
}

export interface HttpServerOptions {
  readonly port: number;
  readonly host: string;
  /** Overrides of the default limits. */
  readonly limits?: Partial<typeof LIMITS>;
  /** Creates the response. Rejects with ClientDisconnected if the client has closed the connection. */
  readonly respond: (
    request: IncomingMessage,
    requestId: string,
    response: ServerResponse,
  ) => HttpResponse | Promise<HttpResponse>;
  readonly onServed: (served: ServedRequest) => void;
  /** Receives input that is no valid HTTP request; the client has received an error. */
  readonly onMalformed: (malformed: MalformedRequest) => void;
  /** The address whose limit counts a connection; undefined for none, the default. */
  readonly addressOf?: (socketAddress: string | undefined) => string | undefined;
  /** Called for each connection that is refused because of the limits. */
  readonly onConnectionLimit: () => void;
  /** Receives errors that belong to no request, such as a lack of file descriptors. */
  readonly onError: (error: unknown) => void;
}

export interface HttpServer {
  /** Resolves with the port; rejects if the port is not available. */
  listen(): Promise<number>;
  /**
   * If a connection is open, first answers with `Connection: close` for a second. Then stops listening, waits for the
   * requests in flight, and closes all connections after `withinMs`.
   */
  drain(withinMs: number): Promise<void>;
}

const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the 60 s for which load balancers keep an idle connection: the load balancer closes it first.
  keepAliveTimeout: 65_000,
  // Interval of the check for the two time-outs. With Node's default of 30 s a time-out could take three times as long.
  // With 1 s, 500 connections that a client had opened within one second ended together, which blocked for 70 ms.
  connectionsCheckingInterval: 100,
  // At shutdown. A client that sends on a connection while it is closed cannot know whether the request arrived. During
  // this time every request is answered with `Connection: close`.
  closeNoticeMs: 1_000,
  // Time for the client to read a response, which stays in memory until then.
  responseTimeout: 60_000,
  // A connection costs memory before its first byte. Over the limit the least useful connection is closed.
  maxConnections: 5_000,
  maxConnectionsPerAddress: 1_000,
  // Memory of responses that clients have not read yet.
  maxBufferedBytes: 67_108_864,
  // Time to read the rest of a request whose response was sent early. Meanwhile a slow sender opens no other connection,
  // which would cost more.
  discardMs: 5_000,
  // Time for the client to close the connection after that.
  lingerMs: 1_000,
};

const PIPELINE_FULL = refuse(
  "TOO_MANY_REQUESTS",
  undefined,
  `More than ${MAX_PIPELINED} requests on this connection wait for their responses`,
);

/** The HTTP server with its limits, time-outs, request ids and graceful stop. */
export function httpServer({
  port,
  host,
  limits,
  respond,
  onServed,
  onMalformed,
  onConnectionLimit,
  onError,
  addressOf = () => undefined,
}: HttpServerOptions): HttpServer {
  let draining = false;
  const writes = new EndOfTurn();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const decision = connections.addRequest(request.socket, response);
    if (decision === "drop") return;
    const requestId = requestIdOf(request);
    // A response that is available is not awaited: an await is a measurable part of a small response's time.
    const responding = earlyResponse(request, decision, requestId) ?? respond(request, requestId, response);
    const content = responding instanceof Promise ? await responding : responding;
    if (content.onClose !== undefined) onceClosed(response, request.socket, content.onClose);
    const isRead = decision === "refuse" || isBodyRead(request);
    await writes.add(() => {
      const isLast = draining || (!isRead && !isDiscardable(request));
      response.writeHead(content.status, headerLines(content, requestId, isLast));
      if (!isWhole(content.body)) return;
      // Before the end of the request, the response is complete for the client but not for node:http.
      if (isRead) response.end(content.body);
      else response.write(content.body);
      connections.responseWritten(request.socket, response, byteLength(content.body));
    });
    onServed({ request, requestId, status: content.status, ms: performance.now() - startedAt });
    if (isStream(content.body)) await writeStream(content.body, request, response);
    else if (!isWhole(content.body)) await writePieces(content.body, request, response);
    else if (!isRead) await readToTheEnd(request, response);
  }

  /** Writes each piece after the client has read the one before. For a fast client, pauses keep the event loop free. */
  async function writePieces(pieces: readonly Buffer[], { socket }: IncomingMessage, response: ServerResponse) {
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

  /** Asks for each piece after the client read the one before. A response to HEAD needs none. */
  async function writeStream(
    pieces: AsyncIterable<Buffer>,
    { socket, method }: IncomingMessage,
    response: ServerResponse,
  ) {
    if (method === "HEAD") return void response.end();
    for await (const piece of pieces) {
      if (response.destroyed) return;
      const hasRoom = response.write(piece);
      connections.responseWritten(socket, response, piece.length);
      if (!hasRoom && !response.destroyed) await waitForDrain(response);
      connections.pieceRead(socket);
    }
    response.end();
  }

  /** After an early response: reads the request to its end, or closes the connection if it has no end. */
  async function readToTheEnd(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await discardBody(request, discardMs)) return void response.end();
    const { socket } = request;
    // FIN instead of RST: a reset could arrive before the client has read its response.
    request.pause();
    socket.end();
    const lingerTimer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(lingerTimer));
  }

  const {
    maxConnections,
    maxConnectionsPerAddress,
    maxBufferedBytes,
    responseTimeout,
    discardMs,
    lingerMs,
    closeNoticeMs,
    ...options
  } = {
    ...LIMITS,
    ...limits,
  };
  const connections = new Connections({
    max: maxConnections,
    maxPerAddress: maxConnectionsPerAddress,
    addressOf,
    responseMs: responseTimeout,
    maxBufferedBytes,
  });
  // Node's own responses to a missing Host and to an Expect header have no body (D4).
  const server = createServer({ ...options, requireHostHeader: false });
  const sockets = new ListeningSockets(server);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error: unknown) => {
      response.destroy();
      if (!(error instanceof ClientDisconnected || error instanceof StreamBroken)) onError(error);
    });
  };
  server.on("request", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("clientError", (error, socket) => {
    const malformed = refuseMalformed(error, socket as Socket);
    if (malformed !== undefined) onMalformed(malformed);
  });
  server.on("connect", (_request, socket) => onMalformed(refuseTunnel(socket as Socket)));
  server.maxHeadersCount = 0;
  // A client that shuts down its side of the connection after its request still gets the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", (socket) => {
    if (!connections.add(socket)) onConnectionLimit();
  });
  server.closeIdleConnections = () => connections.closeIdle();

  return {
    listen() {
      return sockets.listen(port, host, onError);
    },

    async drain(withinMs) {
      if (!server.listening) return;
      draining = true;
      if (connections.hasOpen) await pause(Math.min(closeNoticeMs, withinMs));
      const closeTimer = setTimeout(() => server.closeAllConnections(), withinMs);
      await sockets.close();
      clearTimeout(closeTimer);
    },
  };
}

/** The response to a request whose body is not read: the pipeline is full, or the headers are invalid. */
function earlyResponse(
  request: IncomingMessage,
  decision: RequestDecision,
  requestId: string,
): HttpResponse | undefined {
  if (decision === "refuse") {
    return refusalResponse(PIPELINE_FULL, requestId, { "retry-after": "1", connection: "close" });
  }
  const error = headError(request);
  return error === undefined ? undefined : httpErrorResponse(error, requestId);
}

/** Listens to the socket too: node:http emits `close` only for the first unfinished response of a closed connection. */
function onceClosed(response: ServerResponse, socket: Socket, onClose: () => void): void {
  const done = () => {
    response.off("close", done);
    socket.off("close", done);
    onClose();
  };
  if (response.closed || socket.destroyed) return done();
  response.on("close", done);
  socket.on("close", done);
}

function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

const COMMON_HEADER_ENTRIES = Object.entries(COMMON_HEADERS);

/** Alternating names and values, which node:http writes unchanged; it would iterate an object twice. */
function headerLines({ status, headers, body }: HttpResponse, requestId: string, isLast: boolean): string[] {
  const head: string[] = [];
  for (const [name, value] of COMMON_HEADER_ENTRIES) if (headers[name] === undefined) head.push(name, value);
  // A 304 has the length of the body that it does not send, or none (RFC 9110 section 8.6).
  if (!isStream(body) && status !== 304) head.push("content-length", String(byteLength(body)));
  head.push("x-request-id", requestId);
  for (const [name, value] of Object.entries(headers)) head.push(name, value);
  if (isLast && headers["connection"] === undefined) head.push("connection", "close");
  return head;
}

/** The client's `X-Request-Id` if it is well-formed, so that the client finds its request in the log (D4); else a new id. */
function requestIdOf({ headers }: IncomingMessage): string {
  const id = headers["x-request-id"];
  return typeof id === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(id) ? id : randomUUID();
}
