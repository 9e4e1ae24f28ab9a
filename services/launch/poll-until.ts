import { setTimeout as pause } from "node:timers/promises";

interface Polling {
  readonly everyMs: number;
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
}

/** Repeats an attempt until it resolves with true; rejects with `timeoutError` after the timeout. */
export async function pollUntil(
  attempt: () => Promise<boolean>,
  { everyMs, timeoutMs, timeoutError }: Polling,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await attempt())) {
    if (performance.now() > deadline) throw timeoutError();
    await pause(everyMs);
  }
}
