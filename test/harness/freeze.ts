import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { until } from "./until.ts";

/**
 * Stops a process, and resolves when all its threads are stopped. On a busy machine some threads run for tens of milliseconds
 * after the signal, enough for a write. SIGCONT continues the process.
 */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await until(async () => (await threadStates(pid)).every((state) => state === "T"), `process ${pid} is stopped`);
}

/** The state of each thread, a letter; `T` is stopped (proc_pid_stat(5)). */
async function threadStates(pid: number): Promise<(string | undefined)[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/stat`, "utf8")));
  return stats.map((stat) => stat.slice(stat.lastIndexOf(")") + 2)[0]);
}
