import { isRefusal, refuse, type Refusal } from "../../services/contracts/errors.ts";

/** Time for which a write is retried after conflicts with other writes. */
const MAX_RETRY_MS = 4_000;
/** Longest pause after the first conflict. A random part of it separates the writers of two replicas. */
const MAX_PAUSE_MS = 10;

/**
 * Optimistic concurrency: loads, decides and saves, and starts again if another write was stored in between. `save`
 * resolves with false for such a conflict, and with a Refusal if the write must not be tried again.
 *
 * A write has an id (write-id.ts), and may be attempted twice. Before it ends with a refusal or starts again, `findEarlierAttempt`
 * looks for the outcome of another attempt, which is then the result. The pauses become shorter with each conflict, so that a writer
 * with many conflicts gets ahead of the others.
 *
 * Ends with WRITE_CONFLICT after four seconds.
 *
 * @param clock - Monotonic, in milliseconds.
 */
export async function optimisticWrite<State, Next, Earlier = never>(
  steps: {
    load(): Promise<State>;
    decide(state: State): Next | Refusal | Promise<Next | Refusal>;
    save(next: Next): Promise<boolean | Refusal>;
    findEarlierAttempt?(): Promise<Earlier | undefined>;
  },
  clock = () => performance.now(),
): Promise<Next | Earlier | Refusal> {
  const startedAt = clock();
  for (let conflicts = 1; ; conflicts += 1) {
    const next = await steps.decide(await steps.load());
    if (isRefusal(next)) return (await steps.findEarlierAttempt?.()) ?? next;
    const saved = await steps.save(next);
    if (saved === true) return next;
    const earlier = await steps.findEarlierAttempt?.();
    if (earlier !== undefined) return earlier;
    if (isRefusal(saved)) return saved;
    if (clock() - startedAt >= MAX_RETRY_MS) return refuse("WRITE_CONFLICT");
    await new Promise((wake) => setTimeout(wake, (Math.random() * MAX_PAUSE_MS) / conflicts));
  }
}
