import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { ConnectionsLoad } from "./connections-process.ts";
import { startProcess } from "./load-process.ts";
import type { Stage } from "./row.ts";

/** Starts processes before the attack: a start takes processor time from the service, which a remote attacker would not. */
export function startAttackers(count: number): ChildProcess[] {
  return Array.from({ length: count }, () => startProcess("connections-process.ts", 15));
}

/** Runs one process for each load until the signal. */
export async function attackOn(
  { target, attackers }: Stage,
  signal: AbortSignal,
  loads: readonly Omit<ConnectionsLoad, "port">[],
): Promise<void> {
  for (const [at, load] of loads.entries()) {
    attackers[at]!.send({ ...load, port: target.port } satisfies ConnectionsLoad);
  }
  await once(signal, "abort");
  for (const each of attackers) each.disconnect();
}

/** The text of an HTTP request. */
export function requestText(path: string, key: string, body: object): string {
  const text = JSON.stringify(body);
  const head = [`POST ${path} HTTP/1.1`, "host: x", `authorization: ${key}`];
  const headers = ["content-type: application/json", `content-length: ${Buffer.byteLength(text)}`];
  return `${[...head, ...headers].join("\r\n")}\r\n\r\n${text}`;
}
