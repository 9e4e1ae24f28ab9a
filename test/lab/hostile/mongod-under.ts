import { childrenOf, commandLine } from "../../harness/service-process.ts";

/** The process id of the first mongod among these processes and their descendants; 0 if there is none. */
export async function mongodUnder(pids: readonly number[]): Promise<number> {
  for (const pid of pids) {
    const [binary = ""] = await commandLine(pid).catch(() => []);
    if (binary.endsWith("/mongod")) return pid;
    const found = await mongodUnder(await childrenOf(pid));
    if (found !== 0) return found;
  }
  return 0;
}
