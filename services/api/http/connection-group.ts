import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** What a group knows of each of its connections. */
export interface GroupedConnection {
  /** Requests whose answer is not taken yet. */
  readonly unanswered: number;
  /** The latest request; undefined before the first one. */
  readonly request: IncomingMessage | undefined;
}

/** Connections that share a limit, and which of them makes room for another. */
export class ConnectionGroup<Connection extends GroupedConnection> {
  /** The one whose last answer is longest ago comes first. */
  readonly #all = new Map<Socket, Connection>();
  /** The one that is incomplete for longest comes first; also some whose request is whole by now. */
  readonly #arriving = new Map<Socket, Connection>();

  get size(): number {
    return this.#all.size;
  }

  get(socket: Socket): Connection | undefined {
    return this.#all.get(socket);
  }

  *[Symbol.iterator](): Iterator<readonly [Socket, Connection]> {
    yield* this.#all;
  }

  /** A new connection; the headers of its first request count as incomplete from now on. */
  add(socket: Socket, connection: Connection): void {
    this.#all.set(socket, connection);
    this.#arriving.set(socket, connection);
  }

  delete(socket: Socket): void {
    this.#all.delete(socket);
    this.#arriving.delete(socket);
  }

  /** The headers of a request are there; its body counts as incomplete from now on. */
  arrive(socket: Socket, connection: Connection): void {
    this.#arriving.delete(socket);
    if (this.#all.has(socket)) this.#arriving.set(socket, connection);
  }

  answered(socket: Socket, connection: Connection): void {
    if (this.#all.delete(socket)) this.#all.set(socket, connection);
  }

  /**
   * The connection that is missed least: the one whose headers or body have been incomplete for longest, else the one
   * that has been idle for longest. Undefined where each has a whole request that waits for its answer.
   */
  leastNeeded(): Socket | undefined {
    for (const [socket, { request }] of this.#arriving) {
      if (request?.complete !== true) return socket;
      this.#arriving.delete(socket);
    }
    for (const [socket, { unanswered }] of this.#all) if (unanswered === 0) return socket;
    return undefined;
  }
}
