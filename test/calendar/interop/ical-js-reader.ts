import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { InteropSeries } from "./interop-series.ts";

const READ_MS = 5_000;

/** Reads series with ical.js in a thread of its own, because ical.js searches without end for the next start of some rules. */
export class IcalJsReader {
  #worker = newWorker();

  /** The starts; undefined if ical.js finds no end within five seconds. */
  async starts({ text, window, timezone }: InteropSeries): Promise<number[] | undefined> {
    // A thread of Node has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage({ text, window, timezone });
    try {
      const [starts] = (await once(this.#worker, "message", { signal: AbortSignal.timeout(READ_MS) })) as [number[]];
      return starts;
    } catch {
      await this.#worker.terminate();
      this.#worker = newWorker();
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function newWorker(): Worker {
  return new Worker(new URL("ical-js-worker.ts", import.meta.url));
}
