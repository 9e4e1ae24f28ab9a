import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The servers have one CPU to themselves; the database, the bus, the load and the bench itself share the other. */
export const SERVER_CPU = 0;
export const OTHER_CPU = 1;

/**
 * Runs the work with this process, what it starts meanwhile, and the mongod of a folder on the CPU that servers don't have.
 * Wherever the scheduler put mongod it would take its time from whichever server was just asking.
 */
export async function besideServers<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const pids = [process.pid, Number(await readFile(join(directory, "mongodb", "mongod.lock"), "utf8"))];
  const all = `0-${availableParallelism() - 1}`;
  for (const pid of pids) await runOn(String(OTHER_CPU), pid);
  try {
    return await work();
  } finally {
    for (const pid of pids) await runOn(all, pid);
  }
}

/** With all the threads that it has; those that it starts later are where the thread was that starts them. */
async function runOn(cpus: string, pid: number): Promise<void> {
  await promisify(execFile)("taskset", ["--all-tasks", "--cpu-list", "--pid", cpus, String(pid)]);
}
