import { readFile } from "node:fs/promises";

/** Ticks of the kernel's accounting in a second. */
const TICKS = 100;

/** User and system time of a process so far, in milliseconds, by ten of them. */
export async function processorMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}
