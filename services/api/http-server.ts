import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Answer, SAFE_HEADERS } from "./answer.ts";
import { type BrokenRequest, refuseBrokenRequest } from "./broken-request.ts";
import { discardBody, SenderGone } from "./request-body.ts";

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
  readonly answer: (request: IncomingMessage, requestId: string) => Promise<Answer>;
  readonly onServed: (served: Served) => void;
  /** Told of what could not be read as a request, and was answered nevertheless. */
  readonly onBroken: (broken: BrokenRequest) => void;
  /** Told of what no answer can tell, such as running out of file descriptors. */
  readonly onError: (error: unknown) => void;
}

export interface HttpServer {
  /** Resolves with the port; rejects when it can't be had. */
  listen(): Promise<number>;
  /** Takes no more connections, lets the requests in flight finish, and ends all after `withinMs`. */
  drain(withinMs: number): Promise<void>;
}

const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the minute for which load balancers keep an idle connection: they are the ones to close it.
  keepAliveTimeout: 65_000,
  // How often the two time-outs are looked at; Node's own 30 s would make them three times as long.
  connectionsCheckingInterval: 1_000,
  // Each costs memory before it has sent a byte; those beyond are closed at once.
  maxConnections: 5_000,
};

/** The HTTP server: limits, time-outs, request ids, and a stop that cuts nobody off. */
export function httpServer({ port, host, limits, answer, onServed, onBroken, onError }: HttpServerParts): HttpServer {
  let draining = false;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    const requestId = requestIdOf(request);
    const { status, headers, body } = await answer(request, requestId);
    const wholeBodyRead = await discardBody(request);
    response.writeHead(status, {
      ...SAFE_HEADERS,
      ...headers,
      "content-length": Buffer.byteLength(body),
      "x-request-id": requestId,
      ...(draining || !wholeBodyRead ? { connection: "close" } : {}),
    });
    response.end(body);
    onServed({ request, requestId, status, ms: performance.now() - began });
  }

  const { maxConnections, ...options } = { ...LIMITS, ...limits };
  const server = createServer(options, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.destroy();
      if (!(error instanceof SenderGone)) onError(error);
    });
  });
  server.on("clientError", (error, socket) => {
    const broken = refuseBrokenRequest(error, socket as Socket);
    if (broken !== undefined) onBroken(broken);
  });
  server.maxConnections = maxConnections;
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  return {
    async listen() {
      server.listen(port, host);
      await once(server, "listening");
      server.on("error", onError);
      return (server.address() as AddressInfo).port;
    },

    async drain(withinMs) {
      if (!server.listening) return;
      draining = true;
      const closed = once(server, "close");
      server.close();
      // Node closes those that are idle after a request; one that has never sent anything is busy in its eyes.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      const impatience = setTimeout(() => server.closeAllConnections(), withinMs);
      await closed;
      clearTimeout(impatience);
    },
  };
}

/** A client's own id where it is well-formed, so that it finds its request in our log (D4). */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
}
