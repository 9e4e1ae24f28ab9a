import { readFile } from "node:fs/promises";
import { childrenOf, commandLine } from "../../real-parts/service-process.ts";

const EVERY_MS = 250;

/** The most resident memory that each process under some roots was seen with; the roots may change. */
export class MemoryWatch {
  readonly #peaks = new Map<number, { readonly name: string; readonly mebibytes: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(roots: () => readonly number[]) {
    let isLooking = false;
    this.#timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void Promise.all(roots().map((root) => this.#look(root))).finally(() => (isLooking = false));
    }, EVERY_MS);
  }

  /** Ends the watch; the process with the highest peak comes first. */
  end(): { readonly name: string; readonly mebibytes: number }[] {
    clearInterval(this.#timer);
    return [...this.#peaks.values()].toSorted((one, other) => other.mebibytes - one.mebibytes);
  }

  async #look(pid: number): Promise<void> {
    const mebibytes = await residentMebibytes(pid);
    const before = this.#peaks.get(pid);
    if (mebibytes > (before?.mebibytes ?? 0)) {
      this.#peaks.set(pid, { name: before?.name ?? (await nameOf(pid)), mebibytes });
    }
    await Promise.all((await childrenOf(pid)).map((child) => this.#look(child)));
  }
}

/** 0 for a process that has ended. */
async function residentMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

async function nameOf(pid: number): Promise<string> {
  const words = await commandLine(pid).catch(() => []);
  return words
    .filter((word) => !word.startsWith("-"))
    .slice(0, 3)
    .map((word) => word.slice(word.lastIndexOf("/") + 1))
    .join(" ");
}
