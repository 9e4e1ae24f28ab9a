import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** The state of a connection that decides which connection is closed first. */
export interface GroupedConnection {
  /** Requests whose response is not sent completely. */
  readonly pendingRequests: number;
  /** The latest request; undefined before the first one. */
  readonly request: IncomingMessage | undefined;
}

/** Connections that share a limit. A new connection over the limit takes the place of one of them. */
export class ConnectionGroup<Connection extends GroupedConnection> {
  /** In the order of their last response, or of their start if they had none; the oldest first. */
  readonly #all = new Map<Socket, Connection>();
  /** Connections with an incomplete request, the oldest first. A request may have been completed in the meantime. */
  readonly #incomplete = new Map<Socket, Connection>();

  get size(): number {
    return this.#all.size;
  }

  get(socket: Socket): Connection | undefined {
    return this.#all.get(socket);
  }

  *[Symbol.iterator](): Iterator<readonly [Socket, Connection]> {
    yield* this.#all;
  }

  /** Adds a new connection, whose first request is incomplete. */
  add(socket: Socket, connection: Connection): void {
    this.#all.set(socket, connection);
    this.#incomplete.set(socket, connection);
  }

  delete(socket: Socket): void {
    this.#all.delete(socket);
    this.#incomplete.delete(socket);
  }

  /** Restarts the time of an incomplete request: its headers have arrived, and its body may follow. */
  headersReceived(socket: Socket, connection: Connection): void {
    this.#incomplete.delete(socket);
    if (this.#all.has(socket)) this.#incomplete.set(socket, connection);
  }

  responseClosed(socket: Socket, connection: Connection): void {
    if (this.#all.delete(socket)) this.#all.set(socket, connection);
  }

  /**
   * The connection to close in favour of a new one: the one whose request has been incomplete for longest, otherwise the one
   * that has been idle for longest. Undefined if every connection has a complete request that waits for its response.
   */
  evictionCandidate(): Socket | undefined {
    for (const [socket, { request }] of this.#incomplete) {
      if (request?.complete !== true) return socket;
      this.#incomplete.delete(socket);
    }
    for (const [socket, { pendingRequests }] of this.#all) if (pendingRequests === 0) return socket;
    return undefined;
  }
}
