import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ConnectionGroup, type GroupedConnection } from "./connection-group.ts";
import { UnsentAnswers } from "./unsent-answers.ts";

/** Requests on one connection that wait for their answers at once; after one more nothing on it is understood. */
export const MAX_UNANSWERED = 32;

interface Standing extends GroupedConnection {
  unanswered: number;
  request: GroupedConnection["request"];
  /** Too many were sent: what comes after is dropped with the connection. */
  isOver: boolean;
  /** Runs while an answer waits for its reader. */
  late: NodeJS.Timeout | undefined;
  readonly ofAddress: ConnectionGroup<Standing> | undefined;
}

/** What becomes of a request: `refuse` for the one that is too many, `drop` for what follows it. */
export type Intake = "serve" | "refuse" | "drop";

export interface ConnectionLimits {
  /** An answer that is not taken within so many milliseconds ends its connection. */
  readonly answerMs: number;
  readonly most: number;
  /** For each address; 0 for no limit. */
  readonly mostPerAddress: number;
  /** The address that a connection counts for; undefined where it counts for none. */
  readonly addressOf: (socketAddress: string | undefined) => string | undefined;
  /** Bytes of answers that are not taken yet, over all connections. */
  readonly mostUnsentBytes: number;
}

/** The open connections, and what each has waiting: node:http itself reads on, however much is unanswered. */
export class Connections {
  readonly #open = new ConnectionGroup<Standing>();
  readonly #byAddress = new Map<string, ConnectionGroup<Standing>>();
  readonly #unsent: UnsentAnswers;
  readonly #limits: ConnectionLimits;
  #isClosing = false;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    this.#unsent = new UnsentAnswers(limits.mostUnsentBytes);
  }

  get anyOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Takes a new connection, for which another one may have to go; false when there is no room for it. */
  add(socket: Socket): boolean {
    const { most, mostPerAddress, addressOf } = this.#limits;
    const address = mostPerAddress === 0 ? undefined : addressOf(socket.remoteAddress);
    const ofAddress = address === undefined ? undefined : this.#groupOf(address);
    const hasRoom =
      (ofAddress === undefined || this.#makeRoom(ofAddress, mostPerAddress)) && this.#makeRoom(this.#open, most);
    if (!hasRoom) {
      socket.destroy();
      return false;
    }
    const standing: Standing = { unanswered: 0, request: undefined, isOver: false, late: undefined, ofAddress };
    this.#open.add(socket, standing);
    ofAddress?.add(socket, standing);
    if (address !== undefined && ofAddress !== undefined) this.#byAddress.set(address, ofAddress);
    socket.once("close", () => {
      clearTimeout(standing.late);
      this.#remove(socket, standing);
      this.#unsent.forget(socket);
      if (address !== undefined && ofAddress?.size === 0) this.#byAddress.delete(address);
    });
    return true;
  }

  take(socket: Socket, response: ServerResponse): Intake {
    const standing = this.#open.get(socket);
    if (standing === undefined) return "drop";
    if (standing.isOver) return "drop";
    response.on("close", () => this.#answered(socket, standing, response));
    standing.unanswered += 1;
    standing.request = response.req;
    this.#open.arrive(socket, standing);
    standing.ofAddress?.arrive(socket, standing);
    standing.isOver = standing.unanswered > MAX_UNANSWERED;
    if (!standing.isOver) return "serve";
    setImmediate(throwAwayWhatFollows, socket);
    return "refuse";
  }

  /** Told when an answer of so many bytes was given to the socket. */
  handedOver(socket: Socket, response: ServerResponse, bytes: number): void {
    const standing = this.#open.get(socket);
    if (standing === undefined) return;
    if (response.writableLength > 0) this.#unsent.add(socket, response, bytes);
    if (standing.late === undefined && socket.writableLength > 0) this.#waitForReader(socket, standing);
  }

  /**
   * Closes those without a request, and each of the others after its last answer. Node's own would keep one that has
   * never sent anything, and cut one whose answer is handed over and not taken yet.
   */
  closeIdle(): void {
    this.#isClosing = true;
    for (const [socket, { unanswered }] of this.#open) if (unanswered === 0) socket.destroy();
  }

  #groupOf(address: string): ConnectionGroup<Standing> {
    return this.#byAddress.get(address) ?? new ConnectionGroup<Standing>();
  }

  #makeRoom(group: ConnectionGroup<Standing>, most: number): boolean {
    if (group.size < most) return true;
    const leaving = group.leastNeeded();
    if (leaving === undefined) return false;
    const standing = this.#open.get(leaving);
    if (standing !== undefined) this.#remove(leaving, standing);
    leaving.destroy();
    return true;
  }

  #remove(socket: Socket, standing: Standing): void {
    this.#open.delete(socket);
    standing.ofAddress?.delete(socket);
  }

  #answered(socket: Socket, standing: Standing, response: ServerResponse): void {
    standing.unanswered -= 1;
    this.#unsent.delete(socket, response);
    if (this.#isClosing && standing.unanswered === 0) socket.destroySoon();
    this.#open.answered(socket, standing);
    standing.ofAddress?.answered(socket, standing);
    if (standing.late === undefined) return;
    clearTimeout(standing.late);
    standing.late = undefined;
    if (standing.unanswered > 0) this.#waitForReader(socket, standing);
  }

  #waitForReader(socket: Socket, standing: Standing): void {
    standing.late = setTimeout(() => socket.destroy(), this.#limits.answerMs);
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
