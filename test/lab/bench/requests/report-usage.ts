import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The processor time and memory that a process has used so far. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** The memory that is left after a collection of garbage, on the heap and beside it. */
export interface Held {
  readonly heldBytes: number;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Buffers are released on a thread of V8, some time after the objects that they belonged to. */
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

/** Loaded before a measured server (`--import`): reports its usage to the process that started it. */
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
