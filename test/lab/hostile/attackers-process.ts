import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { encodeKey } from "../../../services/api/keys/key-text.ts";
import { postClient, type Target } from "./post-client.ts";

/** Counts of the attackers' requests and connections, by kind. */
export type AttackCounts = Record<string, number>;

/** Number of equal portions per second in which bad keys are sent. */
const PORTIONS_A_SECOND = 20;
const REQUESTS_PER_LARGE_BODY = 50;
const SLOW_SENDERS = 300;
const NEVER_READING = 50;
const PIPELINERS = 5;
const PIPELINED = 100;
const IDLE = 1_000;

const READ = "/v2/guild/settings/get";
const done: AttackCounts = {};
const count = (kind: string) => void (done[kind] = (done[kind] ?? 0) + 1);

function head(key: string, ...more: readonly string[]): string {
  return `${[`POST ${READ} HTTP/1.1`, "host: x", `authorization: ${key}`, "content-type: application/json", ...more].join("\r\n")}\r\n`;
}

export interface Attack extends Target {
  /** The guild of the attackers' key. */
  readonly guild: string;
  /** Bad keys per second; there is one large body for every fifty of them. */
  readonly perSecond: number;
}

/** Starts all attacks, which continue until this process ends. */
function attack({ port, key, guild, perSecond }: Attack): void {
  const bad = postClient(port, 50);
  setInterval(() => {
    for (let at = 0; at < perSecond / PORTIONS_A_SECOND; at += 1) {
      const made = { env: "live", id: randomBytes(10).toString("hex"), secret: randomBytes(32).toString("hex") };
      void bad.post(READ, encodeKey(made), '{"guild_id":"1"}').then(({ status }) => count(`bad key ${status}`));
    }
  }, 1_000 / PORTIONS_A_SECOND);

  let turn = 0;
  setInterval(
    () => sendLarge(port, (turn += 1) % 2 === 0 ? key : "nobody"),
    (1_000 * REQUESTS_PER_LARGE_BODY) / perSecond,
  );

  const whole = (body: string) => `${head(key, `content-length: ${body.length}`)}\r\n${body}`;
  const dribbling = [head(key), `${head(key, "content-length: 60000")}\r\n`];
  for (let at = 0; at < SLOW_SENDERS; at += 1)
    keepOpen("slow sender", port, (socket) => dribble(socket, dribbling[at % 2]!));
  for (let at = 0; at < IDLE; at += 1)
    keepOpen("idle", port, (socket) => socket.write("GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n"));
  for (let at = 0; at < PIPELINERS; at += 1) {
    keepOpen("pipeliner", port, (socket) => socket.write(whole(JSON.stringify({ guild_id: guild })).repeat(PIPELINED)));
  }
  for (let at = 0; at < NEVER_READING; at += 1) {
    keepOpen("slow reader", port, (socket) => {
      socket.pause();
      socket.write("GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: x\r\n\r\n".repeat(30));
    });
  }
}

/** Several addresses, since one may have fewer connections (LIMITS.md). Bad keys come from the legitimate clients' address. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
let opened = 0;

/** Opens a connection, and opens it again whenever it is closed. */
function keepOpen(kind: string, port: number, use: (socket: Socket) => void): void {
  const localAddress = ADDRESSES[(opened += 1) % ADDRESSES.length]!;
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  socket.once("connect", () => {
    count(kind);
    use(socket);
  });
  socket.resume();
  socket.once("close", () => setTimeout(() => keepOpen(kind, port, use), 100));
}

function dribble(socket: Socket, start: string): void {
  socket.write(start);
  const dribbling = setInterval(() => socket.write("a"), 1_000);
  socket.once("close", () => clearInterval(dribbling));
}

function sendLarge(port: number, key: string): void {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
  socket.write(`${head(key, "transfer-encoding: chunked")}\r\n${chunk.repeat(16)}0\r\n\r\n`);
  socket.once("data", (response: Buffer) => {
    count(`large body ${response.toString("latin1").slice(9, 12)}`);
    socket.destroy();
  });
}

process.on("message", (message: Attack | "end") => {
  if (message !== "end") attack(message);
  else process.send?.(done, () => process.exit());
});
process.on("disconnect", () => process.exit());
