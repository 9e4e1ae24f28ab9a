import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";

/** Different free ports of loopback. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(0));
  return [...ports];
}

/** The first of `count` consecutive free ports of loopback. */
export async function freePortsInARow(count: number): Promise<number> {
  for (;;) {
    const first = await freePort(0);
    const wanted = Array.from({ length: count }, (_, at) => first + at);
    const taken = await Promise.all(wanted.map((port) => freePort(port).catch(() => 0)));
    if (taken.every((port, at) => port === wanted[at])) return first;
  }
}
