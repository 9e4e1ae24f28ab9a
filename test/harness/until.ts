import { setTimeout as pause } from "node:timers/promises";

/** Polls until `holds` returns true; rejects after `withinMs` with an error that names the condition `what`. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 60_000,
  everyMs = 10,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(everyMs);
  }
}
