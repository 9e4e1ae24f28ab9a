import { readdir, readFile } from "node:fs/promises";

/** The process of a service, a child of the supervisor of `start:nats`. */
export async function serviceProcess(supervisor: number, service: string): Promise<number> {
  for (const pid of await childrenOf(supervisor)) {
    if ((await commandLine(pid)).includes(service)) return pid;
  }
  throw new Error(`no process runs ${service}`);
}

/** The arguments of a process, including the program. */
export async function commandLine(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0").slice(0, -1);
}

/** The child processes of all threads of a process; none if it has ended. Reading every process of the machine would cost far more. */
export async function childrenOf(parent: number): Promise<number[]> {
  const threads = await readdir(`/proc/${parent}/task`).catch(() => []);
  const children = await Promise.all(
    threads.map((thread) => readFile(`/proc/${parent}/task/${thread}/children`, "utf8").catch(() => "")),
  );
  return children.flatMap((pids) => pids.split(" ").filter(Boolean).map(Number));
}

/** The parent process; undefined for a process that has ended. */
export async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  return parent === undefined ? undefined : Number(parent);
}
