import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

/** The servers have one CPU to themselves; the database, the bus, the load and the bench itself share the other. */
export const SERVER_CPU = 0;
export const OTHER_CPU = 1;

/**
 * Runs the work with this process, and the processes that it starts, on the CPU that no server has. On the servers' CPU,
 * mongod would take its time from the server that is measured.
 */
export async function besideServers<Result>(work: () => Promise<Result>): Promise<Result> {
  await runOn(String(OTHER_CPU));
  try {
    return await work();
  } finally {
    await runOn(`0-${availableParallelism() - 1}`);
  }
}

/** Moves all threads of this process; a thread or a process that starts later runs where its parent runs. */
async function runOn(cpus: string): Promise<void> {
  await promisify(execFile)("taskset", ["--all-tasks", "--cpu-list", "--pid", cpus, String(process.pid)]);
}
