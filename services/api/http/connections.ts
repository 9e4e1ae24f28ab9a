import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ConnectionGroup, type GroupedConnection } from "./connection-group.ts";
import { UnsentAnswers } from "./buffered-responses.ts";

/** Pipelined requests on one connection; one more is refused, and everything after it is dropped. */
export const MAX_UNANSWERED = 32;

interface Standing extends GroupedConnection {
  unanswered: number;
  request: GroupedConnection["request"];
  /** Set after too many requests: later ones are dropped with the connection. */
  isOver: boolean;
  /** Runs while the client has not read an answer. */
  late: NodeJS.Timeout | undefined;
  readonly ofAddress: ConnectionGroup<Standing> | undefined;
}

/** The decision about a request: `refuse` for the first one over the limit, `drop` for the following ones. */
export type Intake = "serve" | "refuse" | "drop";

export interface ConnectionLimits {
  /** Milliseconds after which an unread answer closes its connection. */
  readonly answerMs: number;
  readonly most: number;
  /** Connections per address; 0 for no limit. */
  readonly mostPerAddress: number;
  /** The address whose limit counts the connection; undefined for none. */
  readonly addressOf: (socketAddress: string | undefined) => string | undefined;
  /** Limit of the unread answers over all connections, in bytes. */
  readonly mostUnsentBytes: number;
}

/** The open connections with their unanswered requests: node:http itself reads without a limit. */
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

  /** Adds a connection, if necessary in place of another one; false if there is no room. */
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

  /** Counts an answer of so many bytes that was written to the socket. */
  handedOver(socket: Socket, response: ServerResponse, bytes: number): void {
    const standing = this.#open.get(socket);
    if (standing === undefined) return;
    if (response.writableLength > 0) this.#unsent.add(socket, response, bytes);
    if (standing.late === undefined && socket.writableLength > 0) this.#waitForReader(socket, standing);
  }

  /** The client took a piece of an answer, and has as long for the next. */
  pieceTaken(socket: Socket): void {
    const standing = this.#open.get(socket);
    if (standing?.late === undefined) return;
    clearTimeout(standing.late);
    standing.late = undefined;
  }

  /**
   * Closes connections without a request, and each other one after its last answer. Node's own function keeps connections
   * that never sent anything, and cuts answers that the client has not read yet.
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
 * Detaches node:http, which would resume the connection, and discards the input. The bytes are still read: closing a
 * connection with unread bytes resets it, and the client would not see its answers.
 */
function throwAwayWhatFollows(socket: Socket): void {
  socket.removeAllListeners("data");
  socket.on("data", () => undefined);
}
