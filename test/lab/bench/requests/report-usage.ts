import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What a process has used so far. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** What is held after all that nobody needs was collected, on the heap and beside it. */
export interface Held {
  readonly heldBytes: number;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Buffers are let go of beside the program, some time after what they belonged to. */
const SWEPT_MS = 500;

async function collected(): Promise<void> {
  collectGarbage();
  await pause(SWEPT_MS);
  collectGarbage();
  await pause(SWEPT_MS);
  const { heapUsed, external } = process.memoryUsage();
  const held: Held = { heldBytes: heapUsed + external };
  process.send?.(held);
}

/** Loaded before a measured server (`--import`): tells what it has used to the process that asks for it. */
process.on("message", (message) => {
  if (message === "held") return void collected();
  if (message !== "usage") return;
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const usage: Usage = { cpuMs: (user + system) / 1000, rssBytes: rss, heapBytes: heapUsed };
  process.send?.(usage);
});
// Whoever measured it is gone.
process.once("disconnect", () => process.exit(1));
