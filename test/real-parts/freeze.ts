import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { until } from "./until.ts";

/**
 * Stops a process, and resolves once all its threads stand still. On a busy machine some of them go on for tens of
 * milliseconds after the signal, enough for a write to be done. SIGCONT lets it go on.
 */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await until(async () => (await threadStates(pid)).every((state) => state === "T"), `process ${pid} stands still`);
}

/** A letter for each thread, `T` for stopped (proc_pid_stat(5)). */
async function threadStates(pid: number): Promise<(string | undefined)[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/stat`, "utf8")));
  return stats.map((stat) => stat.slice(stat.lastIndexOf(")") + 2)[0]);
}
