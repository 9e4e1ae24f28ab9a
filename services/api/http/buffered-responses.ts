import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The buffered responses of one connection. */
interface ConnectionBuffer {
  bytes: number;
  readonly responses: Map<ServerResponse, number>;
}

/**
 * Limits the memory of responses that clients have not read yet, over all connections. Over the limit it closes the
 * slowest reader: among the connections with at least an average share of the bytes, the one that has waited longest.
 */
export class BufferedResponses {
  readonly #maxBytes: number;
  /** In the order in which their clients fell behind, the earliest first. */
  readonly #connections = new Map<Socket, ConnectionBuffer>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds a response, or a piece of a stream, that the socket could not send at once. Its whole size counts until all of it
   * is sent.
   */
  add(socket: Socket, response: ServerResponse, bytes: number): void {
    const buffer = this.#connections.get(socket) ?? { bytes: 0, responses: new Map<ServerResponse, number>() };
    if (buffer.responses.has(response)) return;
    this.#connections.set(socket, buffer);
    buffer.responses.set(response, bytes);
    buffer.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes) this.#closeSlowest();
  }

  /** Removes a response, or a piece of a stream, that was sent completely or given up. */
  delete(socket: Socket, response: ServerResponse): void {
    const buffer = this.#connections.get(socket);
    const bytes = buffer?.responses.get(response);
    if (buffer === undefined || bytes === undefined) return;
    buffer.responses.delete(response);
    buffer.bytes -= bytes;
    this.#bytes -= bytes;
    if (buffer.responses.size === 0) this.#connections.delete(socket);
  }

  /**
   * Removes a closed connection with all its responses. `delete` is not enough: node:http emits `close` only for the first
   * of them.
   */
  deleteConnection(socket: Socket): void {
    this.#bytes -= this.#connections.get(socket)?.bytes ?? 0;
    this.#connections.delete(socket);
  }

  #closeSlowest(): void {
    const share = this.#bytes / this.#connections.size;
    for (const [socket, { bytes }] of this.#connections) {
      if (bytes < share) continue;
      this.deleteConnection(socket);
      socket.destroy();
      return;
    }
  }
}
