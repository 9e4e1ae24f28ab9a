import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

/** Only the servers use this CPU; the database, the bus, the load and the bench share the other. */
export const SERVER_CPU = 0;
export const OTHER_CPU = 1;

/**
 * Runs work while this process, and the processes that it starts, use the CPU without servers. On the servers' CPU, mongod
 * would take processor time from the measured server.
 */
export async function besideServers<Result>(work: () => Promise<Result>): Promise<Result> {
  await runOn(String(OTHER_CPU));
  try {
    return await work();
  } finally {
    await runOn(`0-${availableParallelism() - 1}`);
  }
}

/** Moves all threads of this process. Later threads and processes inherit the CPU of their parent. */
async function runOn(cpus: string): Promise<void> {
  await promisify(execFile)("taskset", ["--all-tasks", "--cpu-list", "--pid", cpus, String(process.pid)]);
}
