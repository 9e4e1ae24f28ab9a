import { attackOn } from "../connections.ts";
import type { HostileRow } from "../row.ts";

/** More connections than a gateway accepts, from more addresses than are needed to exceed the limit of each address. */
const CONNECTIONS = 5_200;
const ADDRESSES = Array.from({ length: 8 }, (_, at) => `127.0.0.${at + 2}`);

function request(...headers: readonly string[]): string {
  const lines = ["POST /v2/guild/settings/get HTTP/1.1", "host: x", "content-type: application/json", ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Connections without a key send a body, or the headers before it, a byte a second. */
export const SLOW_BODIES: HostileRow = {
  name: "5 200 connections without a key send their requests a byte a second",
  attackMs: 30_000,
  attack: (stage, signal) =>
    attackOn(stage, signal, [
      {
        addresses: ADDRESSES,
        count: CONNECTIONS,
        requests: [request("content-length: 60000"), `${request("content-length: 60000").slice(0, -2)}x-slow: `],
        afterwards: "dribble",
        againMs: 2_000,
      },
    ]),
  control: {
    name: "the timeout of a refused request's body, and the eviction of incomplete requests",
    without: [
      "the body of a refused request is read for at most five seconds",
      "incomplete requests are closed in favour of new connections",
    ],
  },
};
