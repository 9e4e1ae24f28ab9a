import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests on one connection that wait for their answers at once; after one more nothing on it is understood. */
export const MOST_UNANSWERED = 32;

interface Standing {
  unanswered: number;
  /** Too many were sent: what comes after is dropped with the connection. */
  isOver: boolean;
  /** Runs while an answer waits for its reader. */
  late: NodeJS.Timeout | undefined;
}

/** What becomes of a request: `refuse` for the one that is too many, `drop` for what follows it. */
export type Intake = "serve" | "refuse" | "drop";

/** The open connections, and what each has waiting: node:http itself reads on, however much is unanswered. */
export class Connections {
  /** The one whose last answer is longest ago comes first. */
  readonly #open = new Map<Socket, Standing>();
  readonly #answerMs: number;
  #isClosing = false;

  /** An answer that is not taken within so many milliseconds ends its connection. */
  constructor(answerMs: number) {
    this.#answerMs = answerMs;
  }

  get anyOpen(): boolean {
    return this.#open.size > 0;
  }

  add(socket: Socket): void {
    const standing: Standing = { unanswered: 0, isOver: false, late: undefined };
    this.#open.set(socket, standing);
    socket.once("close", () => {
      clearTimeout(standing.late);
      this.#open.delete(socket);
    });
  }

  take(socket: Socket, response: ServerResponse): Intake {
    const standing = this.#open.get(socket);
    if (standing === undefined) return "drop";
    if (standing.isOver) return "drop";
    response.on("close", () => this.#answered(socket, standing));
    standing.unanswered += 1;
    standing.isOver = standing.unanswered > MOST_UNANSWERED;
    if (!standing.isOver) return "serve";
    setImmediate(throwAwayWhatFollows, socket);
    return "refuse";
  }

  /** Told when an answer was given to the socket. */
  handedOver(socket: Socket): void {
    const standing = this.#open.get(socket);
    if (standing?.late === undefined && socket.writableLength > 0) this.#waitForReader(socket, standing);
  }

  /** Closes the connection that has been without a request for longest, for a new one to find room. */
  makeRoom(): void {
    for (const [socket, { unanswered }] of this.#open) {
      if (unanswered === 0) return void socket.destroy();
    }
  }

  /**
   * Closes those without a request, and each of the others after its last answer. Node's own would keep one that has
   * never sent anything, and cut one whose answer is handed over and not taken yet.
   */
  closeIdle(): void {
    this.#isClosing = true;
    for (const [socket, { unanswered }] of this.#open) if (unanswered === 0) socket.destroy();
  }

  #answered(socket: Socket, standing: Standing): void {
    standing.unanswered -= 1;
    if (this.#isClosing && standing.unanswered === 0) socket.destroySoon();
    if (this.#open.delete(socket)) this.#open.set(socket, standing);
    if (standing.late === undefined) return;
    clearTimeout(standing.late);
    standing.late = undefined;
    if (standing.unanswered > 0) this.#waitForReader(socket, standing);
  }

  #waitForReader(socket: Socket, standing: Standing | undefined): void {
    if (standing !== undefined) standing.late = setTimeout(() => socket.destroy(), this.#answerMs);
  }
}

/**
 * Takes the connection's bytes from node:http, which resumes a paused one after each request. They are still read: a
 * connection that is closed with unread bytes is reset, and the sender would never see its answers.
 */
function throwAwayWhatFollows(socket: Socket): void {
  socket.removeAllListeners("data");
  socket.on("data", () => undefined);
}
