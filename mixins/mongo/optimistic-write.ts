import { isRefusal, refuse, type Refusal } from "../../services/contracts/errors.ts";

/** How long a write is tried again while writes of other replicas keep coming between. */
const MAX_RETRY_MS = 4_000;
/** The longest pause before the second try; a random part of it lets the writers of two replicas pass each other. */
const MAX_PAUSE_MS = 10;

/**
 * Load, decide, save; and again from the start when another write came between. `save` answers false for that, and
 * may refuse. The pauses become shorter from try to try, so that a writer that has lost often wins sooner.
 *
 * Ends with WRITE_CONFLICT after four seconds. `clock` is monotonic, in milliseconds.
 */
export async function optimisticWrite<State, Next>(
  steps: {
    load(): Promise<State>;
    decide(state: State): Next | Refusal | Promise<Next | Refusal>;
    save(next: Next): Promise<boolean | Refusal>;
  },
  clock = () => performance.now(),
): Promise<Next | Refusal> {
  const began = clock();
  for (let tries = 1; ; tries += 1) {
    const next = await steps.decide(await steps.load());
    if (isRefusal(next)) return next;
    const saved = await steps.save(next);
    if (saved !== false) return isRefusal(saved) ? saved : next;
    if (clock() - began >= MAX_RETRY_MS) return refuse("WRITE_CONFLICT");
    await new Promise((wake) => setTimeout(wake, (Math.random() * MAX_PAUSE_MS) / tries));
  }
}
