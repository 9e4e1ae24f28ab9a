import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { EndOfTurn } from "../../../mixins/async/end-of-turn.ts";
import { Slices } from "../../../mixins/async/time-slice.ts";
import { refuse } from "../../contracts/errors.ts";
import { type Answer, type AnswerBody, refusalAnswer, SAFE_HEADERS, StreamBroken } from "./http-response.ts";
import {
  brokenAnswer,
  brokenHead,
  type BrokenRequest,
  refuseBrokenRequest,
  refuseTunnel,
} from "./malformed-request.ts";
import { Connections, type Intake, MAX_UNANSWERED } from "./connections.ts";
import { ListeningSockets } from "./listening-sockets.ts";
import { discardBody, isBodyRead, isWorthReading, SenderGone } from "./request-body.ts";

/** A request and its answer, for the log. */
export interface Served {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly status: number;
  readonly ms: number;
}

export interface HttpServerParts {
  readonly port: number;
  readonly host: string;
  /** Overrides of the default limits. */
  readonly limits?: Partial<typeof LIMITS>;
  /** Rejects with SenderGone when the client has closed the connection. */
  readonly answer: (request: IncomingMessage, requestId: string, response: ServerResponse) => Answer | Promise<Answer>;
  readonly onServed: (served: Served) => void;
  /** Receives input that is no valid HTTP request; it was answered with an error. */
  readonly onBroken: (broken: BrokenRequest) => void;
  /** The address whose limit counts a connection; undefined for none, the default. */
  readonly addressOf?: (socketAddress: string | undefined) => string | undefined;
  /** Called for each connection over the limit. */
  readonly onFull: () => void;
  /** Receives errors that belong to no request, such as a lack of file descriptors. */
  readonly onError: (error: unknown) => void;
}

export interface HttpServer {
  /** Resolves with the port; rejects if the port is not available. */
  listen(): Promise<number>;
  /**
   * Answers with `Connection: close` for a second if a connection is open, then stops listening, waits for the requests in
   * flight, and closes all connections after `withinMs`.
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
  lastWordsMs: 1_000,
  // Time for the client to read an answer, which stays in memory until then.
  answerTimeout: 60_000,
  // A connection costs memory before its first byte. Over the limit the least useful connection is closed.
  maxConnections: 5_000,
  maxConnectionsPerAddress: 1_000,
  // Answers that clients have not read yet, in memory.
  maxUnsentBytes: 67_108_864,
  // Time to read the rest of a request that was answered early. A slow sender opens no other connection meanwhile, and a
  // new connection costs more.
  discardMs: 5_000,
  // Time for the client to close the connection after that.
  lingerMs: 1_000,
};

const PIPELINE_FULL = refuse(
  "TOO_MANY_REQUESTS",
  undefined,
  `More than ${MAX_UNANSWERED} requests on this connection wait for their answers`,
);

/** The HTTP server: limits, time-outs, request ids, and a stop that cuts nobody off. */
export function httpServer({
  port,
  host,
  limits,
  answer,
  onServed,
  onBroken,
  onFull,
  onError,
  addressOf = () => undefined,
}: HttpServerParts): HttpServer {
  let draining = false;
  const written = new EndOfTurn();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    const intake = connections.take(request.socket, response);
    if (intake === "drop") return;
    const requestId = requestIdOf(request);
    // An answer that is available is not awaited: an await is a measurable part of a small answer's time.
    const answered = unreadAnswer(request, intake, requestId) ?? answer(request, requestId, response);
    const given = answered instanceof Promise ? await answered : answered;
    if (given.onTaken !== undefined) whenTaken(response, request.socket, given.onTaken);
    const isRead = intake === "refuse" || isBodyRead(request);
    await written.add(() => {
      const isLast = draining || (!isRead && !isWorthReading(request));
      response.writeHead(given.status, headOf(given, requestId, isLast));
      if (!isWhole(given.body)) return;
      // An answer that is written before its request has ended is complete for its reader, and not yet for node:http.
      if (isRead) response.end(given.body);
      else response.write(given.body);
      connections.handedOver(request.socket, response, bytesOf(given.body));
    });
    onServed({ request, requestId, status: given.status, ms: performance.now() - began });
    if (isStream(given.body)) await writeStream(given.body, request, response);
    else if (!isWhole(given.body)) await writePieces(given.body, request, response);
    else if (!isRead) await readToTheEnd(request, response);
  }

  /** Writes each piece after the client took the one before. For a fast client, pauses keep the event loop free. */
  async function writePieces(pieces: readonly Buffer[], { socket }: IncomingMessage, response: ServerResponse) {
    const bytes = bytesOf(pieces);
    const slices = new Slices();
    for (const piece of pieces) {
      if (response.destroyed) return;
      const isTaken = response.write(piece);
      connections.handedOver(socket, response, bytes);
      const hasToWait = socket.writableLength > 0;
      if (!isTaken && !response.destroyed) await drained(response);
      if (hasToWait) slices.begin();
      else if (slices.isOver) await slices.rest();
    }
    response.end();
  }

  /** Asks for each piece after the client took the one before; a reader of the headers alone needs none. */
  async function writeStream(
    pieces: AsyncIterable<Buffer>,
    { socket, method }: IncomingMessage,
    response: ServerResponse,
  ) {
    if (method === "HEAD") return void response.end();
    for await (const piece of pieces) {
      if (response.destroyed) return;
      const isTaken = response.write(piece);
      connections.handedOver(socket, response, piece.length);
      if (!isTaken && !response.destroyed) await drained(response);
      connections.pieceTaken(socket);
    }
    response.end();
  }

  /** After an early answer: reads the request to its end, or closes the connection if it has no end. */
  async function readToTheEnd(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await discardBody(request, discardMs)) return void response.end();
    const { socket } = request;
    // FIN instead of RST: a reset could arrive before the client has read its answer.
    request.pause();
    socket.end();
    const lingering = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(lingering));
  }

  const {
    maxConnections,
    maxConnectionsPerAddress,
    maxUnsentBytes,
    answerTimeout,
    discardMs,
    lingerMs,
    lastWordsMs,
    ...options
  } = {
    ...LIMITS,
    ...limits,
  };
  const connections = new Connections({
    most: maxConnections,
    mostPerAddress: maxConnectionsPerAddress,
    addressOf,
    answerMs: answerTimeout,
    mostUnsentBytes: maxUnsentBytes,
  });
  // Node's own answers to a missing Host or an Expect header have no body (D4).
  const server = createServer({ ...options, requireHostHeader: false });
  const sockets = new ListeningSockets(server);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error: unknown) => {
      response.destroy();
      if (!(error instanceof SenderGone || error instanceof StreamBroken)) onError(error);
    });
  };
  server.on("request", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("clientError", (error, socket) => {
    const broken = refuseBrokenRequest(error, socket as Socket);
    if (broken !== undefined) onBroken(broken);
  });
  server.on("connect", (_request, socket) => onBroken(refuseTunnel(socket as Socket)));
  server.maxHeadersCount = 0;
  // A client that has sent its request and shuts down its side of the connection gets the answer all the same.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", (socket) => {
    if (!connections.add(socket)) onFull();
  });
  server.closeIdleConnections = () => connections.closeIdle();

  return {
    listen() {
      return sockets.listen(port, host, onError);
    },

    async drain(withinMs) {
      if (!server.listening) return;
      draining = true;
      if (connections.anyOpen) await pause(Math.min(lastWordsMs, withinMs));
      const impatience = setTimeout(() => server.closeAllConnections(), withinMs);
      await sockets.close();
      clearTimeout(impatience);
    },
  };
}

/** The answer to a request that is not parsed: the pipeline is full, or the head is malformed. */
function unreadAnswer(request: IncomingMessage, intake: Intake, requestId: string): Answer | undefined {
  if (intake === "refuse") {
    return refusalAnswer(PIPELINE_FULL, requestId, { "retry-after": "1", connection: "close" });
  }
  const broken = brokenHead(request);
  return broken === undefined ? undefined : brokenAnswer(broken, requestId);
}

function isStream(body: AnswerBody): body is AsyncIterable<Buffer> {
  return typeof body === "object" && Symbol.asyncIterator in body;
}

function isWhole(body: AnswerBody): body is string | Buffer {
  return typeof body === "string" || Buffer.isBuffer(body);
}

/** Watches the socket too: node:http emits `close` only for the first unfinished answer of a closed connection. */
function whenTaken(response: ServerResponse, socket: Socket, tell: () => void): void {
  const done = () => {
    response.off("close", done);
    socket.off("close", done);
    tell();
  };
  if (response.closed || socket.destroyed) return done();
  response.on("close", done);
  socket.on("close", done);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

const SAFE = Object.entries(SAFE_HEADERS);

/** Alternating names and values, which node:http writes unchanged; it would iterate an object twice. */
function headOf({ status, headers, body }: Answer, requestId: string, isLast: boolean): string[] {
  const head: string[] = [];
  for (const [name, value] of SAFE) if (headers[name] === undefined) head.push(name, value);
  // A 304 has the length of what it does not send, or none (RFC 9110 section 8.6).
  if (!isStream(body) && status !== 304) head.push("content-length", String(bytesOf(body)));
  head.push("x-request-id", requestId);
  for (const [name, value] of Object.entries(headers)) head.push(name, value);
  if (isLast && headers["connection"] === undefined) head.push("connection", "close");
  return head;
}

function bytesOf(body: Exclude<AnswerBody, AsyncIterable<Buffer>>): number {
  return isWhole(body) ? Buffer.byteLength(body) : body.reduce((bytes, piece) => bytes + piece.length, 0);
}

/** A client's own id where it is well-formed, so that it finds its request in our log (D4). */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
}
