import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { EndOfTurn } from "../../mixins/async/end-of-turn.ts";
import { Slices } from "../../mixins/async/slices.ts";
import { refuse } from "../contracts/errors.ts";
import { type Answer, type AnswerBody, refusalAnswer, SAFE_HEADERS } from "./answer.ts";
import { brokenAnswer, brokenHead, type BrokenRequest, refuseBrokenRequest, refuseTunnel } from "./broken-request.ts";
import { Connections, type Intake, MOST_UNANSWERED } from "./connections.ts";
import { ListeningSockets } from "./listening-sockets.ts";
import { discardBody, isBodyRead, isWorthReading, SenderGone } from "./request-body.ts";

/** What arrived and what it was answered, for the log. */
export interface Served {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly status: number;
  readonly ms: number;
}

export interface HttpServerParts {
  readonly port: number;
  readonly host: string;
  /** In place of the usual ones. */
  readonly limits?: Partial<typeof LIMITS>;
  /** Rejects when the sender has gone. */
  readonly answer: (request: IncomingMessage, requestId: string, response: ServerResponse) => Answer | Promise<Answer>;
  readonly onServed: (served: Served) => void;
  /** Told of what could not be read as a request, and was answered nevertheless. */
  readonly onBroken: (broken: BrokenRequest) => void;
  /** The address that a connection counts for; undefined where it counts for none. By default none does. */
  readonly addressOf?: (socketAddress: string | undefined) => string | undefined;
  /** Told of each connection that there was no room for. */
  readonly onFull: () => void;
  /** Told of what no answer can tell, such as running out of file descriptors. */
  readonly onError: (error: unknown) => void;
}

export interface HttpServer {
  /** Resolves with the port; rejects when it can't be had. */
  listen(): Promise<number>;
  /**
   * Tells whoever sends to close its connection, for a second where any is open; then takes no more connections, lets
   * the requests in flight finish, and ends all after `withinMs`.
   */
  drain(withinMs: number): Promise<void>;
}

const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the minute for which load balancers keep an idle connection: they are the ones to close it.
  keepAliveTimeout: 65_000,
  // How often the two time-outs are looked at. With Node's own 30 s they would be three times as long, and each second the
  // 500 connections that a client had opened in one second ended together, which stalled everybody for 70 ms.
  connectionsCheckingInterval: 100,
  // At a stop: a client that sends on a connection just as it is closed can't know whether its request arrived. For so
  // long everybody is answered, and told to close.
  lastWordsMs: 1_000,
  // Whoever asks must take the answer: until then it is kept in memory.
  answerTimeout: 60_000,
  // Each costs memory before it has sent a byte. For one beyond, the one that is missed least is closed.
  maxConnections: 5_000,
  maxConnectionsPerAddress: 1_000,
  // What clients are slow to take is memory.
  maxUnsentBytes: 67_108_864,
  // For so long the rest of a request is read that is answered already. Whoever sends it slowly opens no other connection
  // meanwhile, and it is new connections that cost.
  discardMs: 5_000,
  // For so long its sender may take to close the connection after that.
  lingerMs: 1_000,
};

const PIPELINE_FULL = refuse(
  "TOO_MANY_REQUESTS",
  undefined,
  `More than ${MOST_UNANSWERED} requests on this connection wait for their answers`,
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
    // What is there at once is not waited for: a turn of the queue each is a good part of a small answer.
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
    if (!isWhole(given.body)) await writePieces(given.body, request, response);
    else if (!isRead) await readToTheEnd(request, response);
  }

  /** Each piece when the one before it is taken. A fast taker takes all of them at once: so they are written in slices. */
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

  /** After an answer that did not wait for its request: ends the request, or the connection where it has no end. */
  async function readToTheEnd(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await discardBody(request, discardMs)) return void response.end();
    const { socket } = request;
    // The sender is told by the end of the stream, and has time to read its answer: a reset could overtake that.
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
  // Node's own answers to a request without a host, or that expects something, say nothing (D4).
  const server = createServer({ ...options, requireHostHeader: false });
  const sockets = new ListeningSockets(server);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error: unknown) => {
      response.destroy();
      if (!(error instanceof SenderGone)) onError(error);
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

/** The answer to a request that is not looked into: there are too many, or its head is broken. */
function unreadAnswer(request: IncomingMessage, intake: Intake, requestId: string): Answer | undefined {
  if (intake === "refuse") {
    return refusalAnswer(PIPELINE_FULL, requestId, { "retry-after": "1", connection: "close" });
  }
  const broken = brokenHead(request);
  return broken === undefined ? undefined : brokenAnswer(broken, requestId);
}

function isWhole(body: AnswerBody): body is string | Buffer {
  return typeof body === "string" || Buffer.isBuffer(body);
}

/** Of the answers that a connection leaves behind, node:http closes the first alone. */
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

const SAFE = Object.entries(SAFE_HEADERS).flat();

/** Names and values in turn, which node:http writes down as they are: an object it would go through twice. */
function headOf({ headers, body }: Answer, requestId: string, isLast: boolean): string[] {
  const head = [...SAFE, "content-length", String(bytesOf(body)), "x-request-id", requestId];
  for (const [name, value] of Object.entries(headers)) head.push(name, value);
  if (isLast && headers["connection"] === undefined) head.push("connection", "close");
  return head;
}

function bytesOf(body: AnswerBody): number {
  return isWhole(body) ? Buffer.byteLength(body) : body.reduce((bytes, piece) => bytes + piece.length, 0);
}

/** A client's own id where it is well-formed, so that it finds its request in our log (D4). */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
}
