import { setTimeout as pause } from "node:timers/promises";

/** Asks every so often until `holds` says so; after the deadline, fails and names what never came about. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 15_000,
  everyMs = 10,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(everyMs);
  }
}
