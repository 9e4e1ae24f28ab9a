import { isRefusal, refuse, type Refusal } from "../services/contracts/errors.ts";

const ATTEMPTS = 40;
/** Between two attempts, at most; a random part of it lets writers of one record pass each other. */
const PAUSE_MS = 10;

/**
 * Load, decide, save, and again from the start when another write came between. `save` answers false for that, and
 * may refuse.
 * Gives up with WRITE_CONFLICT after forty tries: then others keep winning, and the caller may try again.
 */
export async function optimisticWrite<State, Next>(steps: {
  load(): Promise<State>;
  decide(state: State): Next | Refusal | Promise<Next | Refusal>;
  save(next: Next): Promise<boolean | Refusal>;
}): Promise<Next | Refusal> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const next = await steps.decide(await steps.load());
    if (isRefusal(next)) return next;
    const saved = await steps.save(next);
    if (saved !== false) return isRefusal(saved) ? saved : next;
    await new Promise((wake) => setTimeout(wake, Math.random() * PAUSE_MS));
  }
  return refuse("WRITE_CONFLICT");
}
