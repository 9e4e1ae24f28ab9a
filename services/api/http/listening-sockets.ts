import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

const SOCKET_COUNT = 16;

/**
 * Lets an HTTP server listen on one port with several sockets (`SO_REUSEPORT`). libuv accepts one connection per socket in
 * each iteration of the event loop: with a single socket, a client that opens many connections at once delays the
 * connections of all others. Where ports cannot be shared (macOS, Windows; Node before 22.12) it is a single socket.
 */
export class ListeningSockets {
  readonly #server: HttpServer;
  readonly #furtherSockets: Server[] = [];

  constructor(server: HttpServer) {
    this.#server = server;
  }

  /** Resolves with the port; rejects if the port is not available. `onError` receives later errors. */
  async listen(port: number, host: string, onError: (error: unknown) => void): Promise<number> {
    // A shared port does not report that another process of the same user uses it already.
    if (port !== 0) await closeSocket(await listenOn(createServer(), { port, host }));
    await listenOn(this.#server, { port, host, reusePort: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOTSUP") throw error;
      return listenOn(this.#server, { port, host });
    });
    this.#server.on("error", onError);
    const { port: actualPort } = this.#server.address() as AddressInfo;
    await this.#listenWithFurtherSockets(actualPort, host, onError).catch(() => undefined);
    return actualPort;
  }

  /** Stops accepting connections; resolves when the last one is closed. */
  async close(): Promise<void> {
    await Promise.all([this.#server, ...this.#furtherSockets].map(closeSocket));
  }

  async #listenWithFurtherSockets(port: number, host: string, onError: (error: unknown) => void): Promise<void> {
    while (this.#furtherSockets.length < SOCKET_COUNT - 1) {
      // The HTTP server accepts foreign connections (node:http, event "connection"); these are its own socket options.
      const options = { allowHalfOpen: true, noDelay: true };
      const socket = createServer(options, (connection) => this.#server.emit("connection", connection));
      this.#furtherSockets.push((await listenOn(socket, { port, host, reusePort: true })).on("error", onError));
    }
  }
}

interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly reusePort?: boolean;
}

async function listenOn<Socket extends Server>(socket: Socket, address: ListenAddress): Promise<Socket> {
  socket.listen(address);
  await once(socket, "listening");
  return socket;
}

async function closeSocket(socket: Server): Promise<void> {
  const closed = once(socket, "close");
  socket.close();
  await closed;
}
