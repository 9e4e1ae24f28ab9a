import { access, mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A limit on the total CPU of some processes, like the limit of a container in Kubernetes. */
export interface CpuShare {
  add(pid: number): Promise<void>;
  /** Removes the limit; its processes must have ended. */
  remove(): Promise<void>;
}

const ROOT = "/sys/fs/cgroup";
/** Scheduling period: short, so that a process that has used its share waits only a short time. */
const PERIOD_US = 10_000;

/**
 * A control group of Linux, version 1 or 2.
 *
 * @param share - Share of one CPU, at least 0.1.
 * @throws Error if control groups cannot be written; usually only root can.
 */
export async function cpuShare(name: string, share: number): Promise<CpuShare> {
  const isFirst = await exists(join(ROOT, "cpu", "cpu.cfs_quota_us"));
  const group = join(ROOT, isFirst ? "cpu" : "", name);
  const quota = String(Math.round(share * PERIOD_US));
  try {
    await mkdir(group);
    if (isFirst) {
      await writeFile(join(group, "cpu.cfs_period_us"), String(PERIOD_US));
      await writeFile(join(group, "cpu.cfs_quota_us"), quota);
    } else await writeFile(join(group, "cpu.max"), `${quota} ${PERIOD_US}`);
  } catch (error) {
    throw new Error("replicas are compared by shares of a CPU, which only root can assign", { cause: error });
  }
  return {
    add: (pid) => writeFile(join(group, "cgroup.procs"), String(pid)),
    remove: () => rmdir(group),
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
