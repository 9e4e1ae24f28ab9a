import { connect, type Socket } from "node:net";

/** Connections that are opened again when they are closed. */
export interface ConnectionsLoad {
  readonly port: number;
  /** The addresses that they come from, by turns. */
  readonly addresses: readonly string[];
  readonly count: number;
  /** What each sends, by turns. */
  readonly requests: readonly string[];
  /** `dribble`: a byte a second after it. `repeat`: again after each answer. `ignore`: again at once, never reading. */
  readonly afterwards: "dribble" | "repeat" | "ignore";
  /** How long after its end a connection is opened again. */
  readonly againMs: number;
}

/** Requests that a connection which never reads has sent. */
const IGNORED = 16;
const OPENED_AT_ONCE = 10;
const OPENED_EVERY_MS = 10;

function open(load: ConnectionsLoad, at: number): void {
  const localAddress = load.addresses[at % load.addresses.length]!;
  const text = load.requests[at % load.requests.length]!;
  const socket = connect({ port: load.port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  socket.once("connect", () => {
    if (load.afterwards === "dribble") dribble(socket, text);
    else if (load.afterwards === "repeat") repeat(socket, text);
    else socket.pause().write(text.repeat(IGNORED));
  });
  socket.once("close", () => setTimeout(() => open(load, at), load.againMs));
}

function dribble(socket: Socket, text: string): void {
  socket.resume();
  socket.write(text);
  const dribbling = setInterval(() => socket.write("x"), 1_000);
  socket.once("close", () => clearInterval(dribbling));
}

/** Reads an answer by its length, without looking into it. */
function repeat(socket: Socket, text: string): void {
  let left = 0;
  socket.on("data", (chunk: Buffer) => {
    let rest = chunk;
    if (left === 0) {
      const head = chunk.toString("latin1", 0, 2_000);
      const end = head.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (end < 0 || length === undefined) return void socket.destroy();
      left = Number(length);
      rest = chunk.subarray(end + 4);
    }
    left -= rest.length;
    if (left === 0) socket.write(text);
  });
  socket.write(text);
}

process.on("message", (load: ConnectionsLoad) => {
  let opened = 0;
  const opening = setInterval(() => {
    for (let each = 0; each < OPENED_AT_ONCE && opened < load.count; each += 1, opened += 1) open(load, opened);
    if (opened === load.count) clearInterval(opening);
  }, OPENED_EVERY_MS);
});
process.on("disconnect", () => process.exit());
