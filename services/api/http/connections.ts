import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ConnectionGroup, type GroupedConnection } from "./connection-group.ts";
import { BufferedResponses } from "./buffered-responses.ts";

/** Pipelined requests on one connection. One more is refused, and all input after it is discarded. */
export const MAX_PIPELINED = 32;

interface ConnectionState extends GroupedConnection {
  pendingRequests: number;
  request: GroupedConnection["request"];
  /** Set after too many pipelined requests: later requests are dropped. */
  isOverLimit: boolean;
  /** Runs while the client has not read a response. */
  readTimer: NodeJS.Timeout | undefined;
  readonly addressGroup: ConnectionGroup<ConnectionState> | undefined;
}

/** The decision about a request: `refuse` for the first one over the limit, `drop` for the following ones. */
export type RequestDecision = "serve" | "refuse" | "drop";

export interface ConnectionLimits {
  /** Milliseconds after which a response that the client does not read closes its connection. */
  readonly responseReadMs: number;
  readonly max: number;
  /** Connections per address; 0 for no limit. */
  readonly maxPerAddress: number;
  /** The address whose limit counts the connection; undefined for none. */
  readonly addressOf: (socketAddress: string | undefined) => string | undefined;
  /** Bytes of responses that clients have not read, over all connections. */
  readonly maxBufferedBytes: number;
}

/** The open connections and their pending requests. node:http itself accepts both without a limit. */
export class Connections {
  readonly #open = new ConnectionGroup<ConnectionState>();
  readonly #byAddress = new Map<string, ConnectionGroup<ConnectionState>>();
  readonly #buffered: BufferedResponses;
  readonly #limits: ConnectionLimits;
  #isClosing = false;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    this.#buffered = new BufferedResponses(limits.maxBufferedBytes);
  }

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Adds a connection, if necessary in place of another one; false if there is no room. */
  add(socket: Socket): boolean {
    const { max, maxPerAddress, addressOf } = this.#limits;
    const address = maxPerAddress === 0 ? undefined : addressOf(socket.remoteAddress);
    const addressGroup = address === undefined ? undefined : this.#groupOf(address);
    const hasRoom =
      (addressGroup === undefined || this.#makeRoom(addressGroup, maxPerAddress)) && this.#makeRoom(this.#open, max);
    if (!hasRoom) {
      socket.destroy();
      return false;
    }
    const state: ConnectionState = {
      pendingRequests: 0,
      request: undefined,
      isOverLimit: false,
      readTimer: undefined,
      addressGroup,
    };
    this.#open.add(socket, state);
    addressGroup?.add(socket, state);
    if (address !== undefined && addressGroup !== undefined) this.#byAddress.set(address, addressGroup);
    socket.once("close", () => {
      clearTimeout(state.readTimer);
      this.#remove(socket, state);
      this.#buffered.deleteConnection(socket);
      if (address !== undefined && addressGroup?.size === 0) this.#byAddress.delete(address);
    });
    return true;
  }

  addRequest(socket: Socket, response: ServerResponse): RequestDecision {
    const state = this.#open.get(socket);
    if (state === undefined) return "drop";
    if (state.isOverLimit) return "drop";
    response.on("close", () => this.#responseClosed(socket, state, response));
    state.pendingRequests += 1;
    state.request = response.req;
    this.#open.headersReceived(socket, state);
    state.addressGroup?.headersReceived(socket, state);
    state.isOverLimit = state.pendingRequests > MAX_PIPELINED;
    if (!state.isOverLimit) return "serve";
    setImmediate(discardInput, socket);
    return "refuse";
  }

  /** Notes `bytes` of a response that were written to the socket. Until the client has read them, they count and a timer runs. */
  responseWritten(socket: Socket, response: ServerResponse, bytes: number): void {
    const state = this.#open.get(socket);
    if (state === undefined) return;
    if (response.writableLength > 0) this.#buffered.add(socket, response, bytes);
    if (state.readTimer === undefined && socket.writableLength > 0) this.#startReadTimer(socket, state);
  }

  /**
   * Releases the memory of a piece that the client has read, and ends its timer. The next piece counts again: a response of
   * many pieces may never end.
   */
  pieceRead(socket: Socket, response: ServerResponse): void {
    if (response.writableLength === 0) this.#buffered.delete(socket, response);
    const state = this.#open.get(socket);
    if (state?.readTimer === undefined) return;
    clearTimeout(state.readTimer);
    state.readTimer = undefined;
  }

  /**
   * Closes connections without a request, and each other one after its last response. Node's own function keeps
   * connections that never sent anything, and cuts responses that the client has not read yet.
   */
  closeIdle(): void {
    this.#isClosing = true;
    for (const [socket, { pendingRequests }] of this.#open) if (pendingRequests === 0) socket.destroy();
  }

  #groupOf(address: string): ConnectionGroup<ConnectionState> {
    return this.#byAddress.get(address) ?? new ConnectionGroup<ConnectionState>();
  }

  #makeRoom(group: ConnectionGroup<ConnectionState>, max: number): boolean {
    if (group.size < max) return true;
    const candidate = group.evictionCandidate();
    if (candidate === undefined) return false;
    const state = this.#open.get(candidate);
    if (state !== undefined) this.#remove(candidate, state);
    candidate.destroy();
    return true;
  }

  #remove(socket: Socket, state: ConnectionState): void {
    this.#open.delete(socket);
    state.addressGroup?.delete(socket);
  }

  #responseClosed(socket: Socket, state: ConnectionState, response: ServerResponse): void {
    state.pendingRequests -= 1;
    this.#buffered.delete(socket, response);
    if (this.#isClosing && state.pendingRequests === 0) socket.destroySoon();
    this.#open.responseClosed(socket, state);
    state.addressGroup?.responseClosed(socket, state);
    if (state.readTimer === undefined) return;
    clearTimeout(state.readTimer);
    state.readTimer = undefined;
    if (state.pendingRequests > 0) this.#startReadTimer(socket, state);
  }

  #startReadTimer(socket: Socket, state: ConnectionState): void {
    state.readTimer = setTimeout(() => socket.destroy(), this.#limits.responseReadMs);
  }
}

/**
 * Detaches node:http, which would resume the connection, and discards the input. The bytes are still read: closing a
 * connection with unread bytes resets it, and the client would not see its responses.
 */
function discardInput(socket: Socket): void {
  socket.removeAllListeners("data");
  socket.on("data", () => undefined);
}
