import { readFile } from "node:fs/promises";
import { childrenOf, commandLine } from "../../harness/service-process.ts";

const SAMPLE_MS = 250;

/** Samples the resident memory of processes and their descendants, and records the peak of each. The roots may change. */
export class MemoryWatch {
  readonly #peaks = new Map<number, { readonly name: string; readonly mebibytes: number }>();
  readonly #roots: () => readonly number[];
  readonly #timer: NodeJS.Timeout;
  #sampling: Promise<unknown> | undefined;

  constructor(roots: () => readonly number[]) {
    this.#roots = roots;
    this.#timer = setInterval(() => {
      this.#sampling ??= this.#sampleAll().finally(() => (this.#sampling = undefined));
    }, SAMPLE_MS);
  }

  /** Samples once more, and stops; resolves with the peaks, the highest first. */
  async end(): Promise<{ readonly name: string; readonly mebibytes: number }[]> {
    clearInterval(this.#timer);
    await this.#sampling;
    await this.#sampleAll();
    return [...this.#peaks.values()].toSorted((one, other) => other.mebibytes - one.mebibytes);
  }

  async #sampleAll(): Promise<void> {
    await Promise.all(this.#roots().map((root) => this.#sample(root)));
  }

  async #sample(pid: number): Promise<void> {
    const mebibytes = await residentMebibytes(pid);
    const before = this.#peaks.get(pid);
    if (mebibytes > (before?.mebibytes ?? 0)) {
      this.#peaks.set(pid, { name: before?.name ?? (await nameOf(pid)), mebibytes });
    }
    await Promise.all((await childrenOf(pid)).map((child) => this.#sample(child)));
  }
}

/** The resident memory of a process; 0 for one that has ended. */
export async function residentMebibytes(pid: number): Promise<number> {
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
