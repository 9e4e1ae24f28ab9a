import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Unsent {
  bytes: number;
  readonly answers: Map<ServerResponse, number>;
}

/**
 * Bytes of answers that their clients have not taken yet, over all connections: they are memory. Beyond the budget
 * the slowest taker is cut: of the connections that have no less than their share, the one that waits for longest.
 */
export class UnsentAnswers {
  readonly #budget: number;
  /** The one that waits for longest comes first. */
  readonly #waiting = new Map<Socket, Unsent>();
  #bytes = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  /** An answer is given to a connection and not taken at once; counted once, and whole until all of it is taken. */
  add(socket: Socket, answer: ServerResponse, bytes: number): void {
    const unsent = this.#waiting.get(socket) ?? { bytes: 0, answers: new Map<ServerResponse, number>() };
    if (unsent.answers.has(answer)) return;
    this.#waiting.set(socket, unsent);
    unsent.answers.set(answer, bytes);
    unsent.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#budget) this.#cutSlowest();
  }

  /** The answer is taken. */
  delete(socket: Socket, answer: ServerResponse): void {
    const unsent = this.#waiting.get(socket);
    const bytes = unsent?.answers.get(answer);
    if (unsent === undefined || bytes === undefined) return;
    unsent.answers.delete(answer);
    unsent.bytes -= bytes;
    this.#bytes -= bytes;
    if (unsent.answers.size === 0) this.#waiting.delete(socket);
  }

  /** The connection is gone: node:http tells so for the first of its answers alone. */
  forget(socket: Socket): void {
    this.#bytes -= this.#waiting.get(socket)?.bytes ?? 0;
    this.#waiting.delete(socket);
  }

  #cutSlowest(): void {
    const share = this.#bytes / this.#waiting.size;
    for (const [socket, { bytes }] of this.#waiting) {
      if (bytes < share) continue;
      this.forget(socket);
      socket.destroy();
      return;
    }
  }
}
