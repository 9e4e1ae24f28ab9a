import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { jsonResponse, refusalResponse } from "../../services/api/http/http-response.ts";
import {
  type HttpServer,
  httpServer,
  type HttpServerOptions,
  type ServedRequest,
} from "../../services/api/http/http-server.ts";
import { readJsonBody } from "../../services/api/http/request-body.ts";
import { isRefusal } from "../../services/contracts/errors.ts";
import { until } from "./until.ts";

export const MIB = 1_048_576;

/** A plain TCP connection, with the text that it has received. */
export interface ClientConnection {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: () => boolean;
}

/** The text of an HTTP request. */
export function request(body: string, headers: Record<string, string | number> = {}): string {
  const all = { host: "x", "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /x HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** The statuses of all responses, in their order. */
export function statusesIn(received: string): string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status as string);
}

/** Reads the body, and responds with the names of its fields. */
const echo: HttpServerOptions["respond"] = async (message, requestId) => {
  const body = await readJsonBody(message);
  return isRefusal(body) ? refusalResponse(body, requestId) : jsonResponse(200, { got: Object.keys(body.fields) });
};

/** An HTTP server without a gateway, and plain TCP connections to it. */
export class HttpServerUnderTest {
  readonly served: ServedRequest[] = [];
  readonly #sockets: Socket[] = [];
  /** The server's sockets. */
  readonly accepted: Socket[] = [];
  readonly #accept = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.localPort === this.port) this.accepted.push(socket);
  };
  /** All started servers, since a test may start further ones. */
  readonly #servers: HttpServer[] = [];
  port = 0;

  /** A server that is not started, for tests of the start. */
  make(parts: Partial<HttpServerOptions> = {}): HttpServer {
    const ignore = () => undefined;
    const onServed = (each: ServedRequest) => void this.served.push(each);
    const usual = { respond: echo, onServed, onMalformed: ignore, onConnectionLimit: ignore, onError: ignore };
    return httpServer({ port: 0, host: "127.0.0.1", ...usual, ...parts });
  }

  async start(parts: Partial<HttpServerOptions> = {}): Promise<void> {
    const server = this.make(parts);
    this.#servers.push(server);
    this.port = await server.listen();
    subscribe("net.server.socket", this.#accept);
  }

  async stop(withinMs = 0): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.drain(withinMs)));
  }

  /** Closes the connections that a test has left open. */
  async cut(): Promise<void> {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
    await this.stop();
    this.#servers.length = 0;
    unsubscribe("net.server.socket", this.#accept);
    this.accepted.length = 0;
    this.served.length = 0;
  }

  async dial(first = "", options: Partial<NetConnectOpts> = {}): Promise<ClientConnection> {
    const socket = connect({ ...options, port: this.port, host: "127.0.0.1" });
    this.#sockets.push(socket);
    let text = "";
    let isClosed = false;
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("close", () => (isClosed = true));
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(first);
    return { socket, received: () => text, closed: () => isClosed };
  }

  /** Sends a text on a new connection, and waits for this number of responses, the last one with a JSON body. */
  async send(text: string, responses = 1): Promise<ClientConnection> {
    const connection = await this.dial(text);
    await until(() => statusesIn(connection.received()).length >= responses, `${responses} responses`);
    await until(() => connection.received().endsWith("}"), "the response's body");
    return connection;
  }

  /** Waits until the server has closed every connection. */
  async nobodyLeft(): Promise<void> {
    await until(() => this.accepted.every(({ destroyed }) => destroyed), "every connection is closed");
  }
}
