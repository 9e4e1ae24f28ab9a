import { freePort } from "../../services/launch/embedded-mongod.ts";

/** Free ports of loopback that differ from each other. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(0));
  return [...ports];
}
