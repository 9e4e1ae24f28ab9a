import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { refuse } from "../../contracts/errors.ts";
import { byteLength, type HttpResponse, isStream, isWhole, refusalResponse, StreamBroken } from "./http-response.ts";
import {
  httpErrorResponse,
  headError,
  type MalformedRequest,
  refuseMalformed,
  refuseTunnel,
} from "./malformed-request.ts";
import { Connections, type RequestDecision, MAX_PIPELINED } from "./connections.ts";
import { ListeningSockets } from "./listening-sockets.ts";
import { isBodyRead, isDiscardable, ClientDisconnected } from "./request-body.ts";
import { headerLines, readToTheEnd, writePieces, writeStream } from "./write-response.ts";

/** A request and the status of its response, for the log. */
export interface ServedRequest {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly status: number;
  /** Milliseconds until the response was written to the socket; of a body in pieces only the headers. */
  readonly ms: number;
}

export interface HttpServerOptions {
  readonly port: number;
  readonly host: string;
  /** Overrides of the default limits. */
  readonly limits?: Partial<typeof LIMITS>;
  /** Overrides of the default limits that Node's server applies. */
  readonly nodeLimits?: Partial<typeof NODE_LIMITS>;
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
   * If a connection is open, first responds with `Connection: close` for a second. Then stops listening, waits for the
   * requests in flight, and closes all connections after `withinMs`.
   */
  drain(withinMs: number): Promise<void>;
}

/** Options of `createServer` in node:http; times in milliseconds. */
const NODE_LIMITS = {
  /** Bytes of all headers of a request. */
  maxHeaderSize: 16_384,
  /** For the headers of a request to arrive. */
  headersTimeout: 10_000,
  /** For the whole request to arrive. */
  requestTimeout: 30_000,
  /**
   * For the next request on a connection. Longer than the 60 s for which load balancers keep an idle connection: the load
   * balancer closes it first.
   */
  keepAliveTimeout: 65_000,
  /**
   * Interval at which Node checks `headersTimeout` and `requestTimeout`; both may take one interval longer. With Node's
   * default of 30 s, headers could take 40 s instead of 10 s. With 1 s, 500 connections that a client had opened within one
   * second ended together, which blocked for 70 ms.
   */
  connectionsCheckingInterval: 100,
};

const LIMITS = {
  /** A connection costs memory before its first byte. Over the limit the least useful connection is closed. */
  maxConnections: 5_000,
  /** 0 for no limit. */
  maxConnectionsPerAddress: 1_000,
  /** Memory of responses that clients have not read yet. */
  maxBufferedBytes: 67_108_864,
  /** Time for the client to read a response, or a piece of a stream. It stays in memory until then. */
  responseReadMs: 60_000,
  /**
   * Time to read the rest of a request whose response was sent early. Meanwhile a slow sender opens no other connection,
   * which would cost more.
   */
  discardMs: 5_000,
  /** Time for the client to close the connection after that. */
  lingerMs: 1_000,
  /**
   * At shutdown. A client that sends on a connection while it is closed cannot know whether the request arrived. During this
   * time every response has `Connection: close`.
   */
  closeNoticeMs: 1_000,
};

/** The HTTP server with its limits, time-outs, request ids and graceful stop. */
export function httpServer({
  port,
  host,
  limits: limitOverrides,
  nodeLimits: nodeLimitOverrides,
  respond,
  onServed,
  onMalformed,
  onConnectionLimit,
  onError,
  addressOf = () => undefined,
}: HttpServerOptions): HttpServer {
  const limits = { ...LIMITS, ...limitOverrides };
  const nodeLimits = { ...NODE_LIMITS, ...nodeLimitOverrides };
  const connections = new Connections({
    max: limits.maxConnections,
    maxPerAddress: limits.maxConnectionsPerAddress,
    addressOf,
    responseReadMs: limits.responseReadMs,
    maxBufferedBytes: limits.maxBufferedBytes,
  });
  const server = newNodeServer(nodeLimits, {
    onConnection: (socket) => {
      if (!connections.add(socket)) onConnectionLimit();
    },
    onRequest: (request, response) => {
      serve(request, response).catch((error: unknown) => {
        response.destroy();
        if (!(error instanceof ClientDisconnected || error instanceof StreamBroken)) onError(error);
      });
    },
    onMalformed,
    closeIdleConnections: () => connections.closeIdle(),
  });
  const sockets = new ListeningSockets(server);
  let draining = false;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const decision = connections.addRequest(request.socket, response);
    if (decision === "drop") return;
    const requestId = requestIdOf(request);
    // A response that is available is not awaited: an await is a measurable part of a small response's time.
    const pendingContent = earlyResponse(request, decision, requestId) ?? respond(request, requestId, response);
    const content = pendingContent instanceof Promise ? await pendingContent : pendingContent;
    if (content.onClose !== undefined) onceClosed(response, request.socket, content.onClose);
    const isRequestRead = decision === "refuse" || isBodyRead(request);
    const isLastOfConnection = draining || (!isRequestRead && !isDiscardable(request));
    response.writeHead(content.status, headerLines(content, requestId, isLastOfConnection));
    if (isWhole(content.body)) {
      // Before the end of the request, the response is complete for the client but not for node:http.
      if (isRequestRead) response.end(content.body);
      else response.write(content.body);
      connections.responseWritten(request.socket, response, byteLength(content.body));
    }
    onServed({ request, requestId, status: content.status, ms: performance.now() - startedAt });
    if (isStream(content.body)) await writeStream(content.body, response, connections);
    else if (!isWhole(content.body)) await writePieces(content.body, response, connections);
    else if (!isRequestRead) await readToTheEnd(response, limits);
  }

  return {
    listen() {
      return sockets.listen(port, host, onError);
    },

    async drain(withinMs) {
      if (!server.listening) return;
      draining = true;
      if (connections.hasOpen) await pause(Math.min(limits.closeNoticeMs, withinMs));
      const closeTimer = setTimeout(() => server.closeAllConnections(), withinMs);
      await sockets.close();
      clearTimeout(closeTimer);
    },
  };
}

interface NodeServerHandlers {
  readonly onConnection: (socket: Socket) => void;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onMalformed: (malformed: MalformedRequest) => void;
  readonly closeIdleConnections: () => void;
}

/** Node's HTTP server, not listening. The handlers replace its own error responses, which have no body (D4). */
function newNodeServer(
  limits: typeof NODE_LIMITS,
  { onConnection, onRequest, onMalformed, closeIdleConnections }: NodeServerHandlers,
): Server {
  // Node would respond to a request without a Host header. `headError` checks the header instead.
  const server = createServer({ ...limits, requireHostHeader: false });
  // 0 for no limit: Node silently drops all headers over the limit. `headError` refuses a request with too many.
  server.maxHeadersCount = 0;
  // A client that shuts down its side of the connection after its request still gets the response. Node's types lack it.
  Object.assign(server, { httpAllowHalfOpen: true });
  // `close` calls this function of the server. Node's own cuts responses that the client has not read yet.
  server.closeIdleConnections = closeIdleConnections;
  server.on("connection", onConnection);
  server.on("request", onRequest);
  // Instead of "request", for an Expect header that is not `100-continue`. Node would respond with 417.
  server.on("checkExpectation", onRequest);
  server.on("clientError", (error, socket) => {
    const malformed = refuseMalformed(error, socket as Socket);
    if (malformed !== undefined) onMalformed(malformed);
  });
  // The method CONNECT. Node would close the connection without a response.
  server.on("connect", (_request, socket) => onMalformed(refuseTunnel(socket as Socket)));
  return server;
}

const PIPELINE_FULL = refuse(
  "TOO_MANY_REQUESTS",
  undefined,
  `More than ${MAX_PIPELINED} requests on this connection wait for their responses`,
);

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

/** The client's `X-Request-Id` if it is well-formed, so that the client finds its request in the log (D4); else a new id. */
function requestIdOf({ headers }: IncomingMessage): string {
  const id = headers["x-request-id"];
  return typeof id === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(id) ? id : randomUUID();
}

/**
 * Calls `onClose` once. It listens to the socket, too: node:http emits `close` only for the first unfinished response of a
 * closed connection.
 */
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
