import { readFile } from "node:fs/promises";

/** Ticks per second of the kernel's accounting. */
const TICKS = 100;

/** User and system time of a process, with a resolution of ten milliseconds. */
export async function processorMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}
