import { attackOn } from "../connections.ts";
import type { HostileRow } from "../row.ts";

/** More connections than a gateway takes, of more addresses than it takes them from with one address' limit. */
const CONNECTIONS = 5_200;
const ADDRESSES = Array.from({ length: 8 }, (_, at) => `127.0.0.${at + 2}`);

function request(...headers: readonly string[]): string {
  const lines = ["POST /v2/guild/settings/get HTTP/1.1", "host: x", "content-type: application/json", ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Nobody's connections send a body, or the headers before it, a byte a second. */
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
    name: "a refusal at once, and room made by what is incomplete",
    without: ["a refused request is read on for five seconds and no longer", "what is incomplete makes room"],
  },
};
