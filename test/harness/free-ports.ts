import { randomInt } from "node:crypto";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";

/** Different free ports of loopback. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(0));
  return [...ports];
}

/** Ports of this range are not given to programs that request any free port: Linux gives those from 32 768 on. */
const FIRST_PORT = 15_000;
const LAST_PORT = 32_000;

/** The first of `count` consecutive free ports of loopback. No program that requests any free port gets one of them. */
export async function freePortsInARow(count: number): Promise<number> {
  for (;;) {
    const first = randomInt(FIRST_PORT, LAST_PORT);
    const wanted = Array.from({ length: count }, (_, at) => first + at);
    const taken = await Promise.all(wanted.map((port) => freePort(port).catch(() => 0)));
    if (taken.every((port, at) => port === wanted[at])) return first;
  }
}
