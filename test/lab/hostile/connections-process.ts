import { connect, type Socket } from "node:net";

/** Connections that are opened again whenever they are closed. */
export interface ConnectionsLoad {
  readonly port: number;
  /** The source addresses, in turn. */
  readonly addresses: readonly string[];
  readonly count: number;
  /** The request texts, one for each connection in turn. */
  readonly requests: readonly string[];
  /**
   * After the request: a byte a second (`dribble`), the request after each response (`repeat`), several requests without reading
   * (`ignore`), or a response of unknown length, which is read for five seconds (`follow`), or not at all (`never read`).
   */
  readonly afterwards: "dribble" | "repeat" | "ignore" | "follow" | "never read";
  /** Delay from the end of a connection until it is opened again. */
  readonly againMs: number;
}

/** Number of requests on a connection that never reads. */
const IGNORED = 16;
const FOLLOWED_MS = 5_000;
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
    else if (load.afterwards === "follow") follow(socket, text);
    else socket.pause().write(load.afterwards === "ignore" ? text.repeat(IGNORED) : text);
  });
  socket.once("close", () => setTimeout(() => open(load, at), load.againMs));
}

function follow(socket: Socket, text: string): void {
  socket.resume().write(text);
  const ending = setTimeout(() => socket.destroy(), FOLLOWED_MS);
  socket.once("close", () => clearTimeout(ending));
}

function dribble(socket: Socket, text: string): void {
  socket.resume();
  socket.write(text);
  const dribbling = setInterval(() => socket.write("x"), 1_000);
  socket.once("close", () => clearInterval(dribbling));
}

/** Reads responses by their length, without parsing their bodies. */
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
