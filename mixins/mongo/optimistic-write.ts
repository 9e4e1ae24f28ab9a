import { isRefusal, refuse, type Refusal } from "../../services/contracts/errors.ts";

/** How long a write is tried again while writes of other replicas keep coming between. */
const MAX_RETRY_MS = 4_000;
/** The longest pause before the second try; a random part of it lets the writers of two replicas pass each other. */
const MAX_PAUSE_MS = 10;

/**
 * Load, decide, save; and again from the start when another write came between. `save` answers false for that, and
 * may refuse. What would not be done is first looked for among what other tries of the write have done (`findEarlierTry`): the
 * outcome is theirs then. The pauses become shorter from try to try, so that a writer that has lost often wins sooner.
 *
 * Ends with WRITE_CONFLICT after four seconds. `clock` is monotonic, in milliseconds.
 */
export async function optimisticWrite<State, Next, Done = never>(
  steps: {
    load(): Promise<State>;
    decide(state: State): Next | Refusal | Promise<Next | Refusal>;
    save(next: Next): Promise<boolean | Refusal>;
    findEarlierTry?(): Promise<Done | undefined>;
  },
  clock = () => performance.now(),
): Promise<Next | Done | Refusal> {
  const began = clock();
  for (let tries = 1; ; tries += 1) {
    const next = await steps.decide(await steps.load());
    if (isRefusal(next)) return (await steps.findEarlierTry?.()) ?? next;
    const saved = await steps.save(next);
    if (saved === true) return next;
    const done = await steps.findEarlierTry?.();
    if (done !== undefined) return done;
    if (isRefusal(saved)) return saved;
    if (clock() - began >= MAX_RETRY_MS) return refuse("WRITE_CONFLICT");
    await new Promise((wake) => setTimeout(wake, (Math.random() * MAX_PAUSE_MS) / tries));
  }
}
