import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The processor time and memory of a process. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** Heap and external memory after a garbage collection. */
export interface Held {
  readonly heldBytes: number;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** V8 releases buffers on another thread, some time after their objects. */
const SWEPT_MS = 500;

async function reportHeld(): Promise<void> {
  collectGarbage();
  await pause(SWEPT_MS);
  collectGarbage();
  await pause(SWEPT_MS);
  const { heapUsed, external } = process.memoryUsage();
  const held: Held = { heldBytes: heapUsed + external };
  process.send?.(held);
}

/** Loaded before a measured server (`--import`). Reports its usage to the parent process. */
process.on("message", (message) => {
  if (message === "held") return void reportHeld();
  if (message !== "usage") return;
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const usage: Usage = { cpuMs: (user + system) / 1000, rssBytes: rss, heapBytes: heapUsed };
  process.send?.(usage);
});
// The bench has ended.
process.once("disconnect", () => process.exit(1));
