import { setTimeout as pause } from "node:timers/promises";

/** Polls until `holds` returns true; after the deadline it rejects, and names the condition. */
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
