import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Sockets that listen on the gateway's port. */
const SOCKETS = 16;

/**
 * Lets an HTTP server listen on one port with several sockets. libuv accepts one connection of each socket in a turn of
 * the event loop: with a single socket, whoever opens many connections at once delays everybody else's.
 * A single one it is where ports can't be shared (macOS, Windows; Node before 22.12).
 */
export class ListeningSockets {
  readonly #server: HttpServer;
  readonly #others: Server[] = [];

  constructor(server: HttpServer) {
    this.#server = server;
  }

  /** Resolves with the port; rejects when it can't be had. `onError` is told of errors after that. */
  async listen(port: number, host: string, onError: (error: unknown) => void): Promise<number> {
    // Whoever shares a port does not notice that another process of the same user has it.
    if (port !== 0) await closed(await listening(createServer(), { port, host }));
    await listening(this.#server, { port, host, reusePort: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOTSUP") throw error;
      return listening(this.#server, { port, host });
    });
    this.#server.on("error", onError);
    const { port: taken } = this.#server.address() as AddressInfo;
    await this.#listenWithOthers(taken, host, onError).catch(() => undefined);
    return taken;
  }

  /** Takes no more connections; resolves when the last one has ended. */
  async close(): Promise<void> {
    await Promise.all([this.#server, ...this.#others].map(closed));
  }

  async #listenWithOthers(port: number, host: string, onError: (error: unknown) => void): Promise<void> {
    while (this.#others.length < SOCKETS - 1) {
      // With the options of an HTTP server, to which connections may be given (node:http, "connection").
      const options = { allowHalfOpen: true, noDelay: true };
      const other = createServer(options, (socket) => this.#server.emit("connection", socket));
      this.#others.push((await listening(other, { port, host, reusePort: true })).on("error", onError));
    }
  }
}

interface Listened {
  readonly port: number;
  readonly host: string;
  readonly reusePort?: boolean;
}

async function listening<Socket extends Server>(socket: Socket, at: Listened): Promise<Socket> {
  socket.listen(at);
  await once(socket, "listening");
  return socket;
}

async function closed(socket: Server): Promise<void> {
  const end = once(socket, "close");
  socket.close();
  await end;
}
