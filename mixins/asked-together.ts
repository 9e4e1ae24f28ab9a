import { PassingMap } from "./passing-map.ts";

/** Who comes while an answer is under way waits for it so long before the next is begun. */
const MOST_WAIT_MS = 20;

/**
 * Asks once for what is asked for more than once, by its arguments: in the same turn of the event loop, or while another
 * answer is under way, whose end the next one waits for. Nothing is kept: each answer was begun after it was asked for.
 */
export function askedTogether<Args extends readonly (string | number | undefined)[], Answer>(
  ask: (...args: Args) => Promise<Answer>,
  mostWaitMs = MOST_WAIT_MS,
): (...args: Args) => Promise<Answer> {
  const waiting = new PassingMap<string, Promise<Answer>>();
  const underWay = new PassingMap<string, Promise<void>>();

  function begin(name: string, args: Args): Promise<Answer> {
    waiting.delete(name);
    const answer = ask(...args);
    const done = settledOrLate(answer, mostWaitMs);
    underWay.set(name, done);
    void done.finally(() => {
      if (underWay.get(name) === done) underWay.delete(name);
    });
    return answer;
  }

  return (...args) => {
    const name = JSON.stringify(args);
    const known = waiting.get(name);
    if (known !== undefined) return known;
    const before = underWay.get(name) ?? new Promise<void>((resolve) => setImmediate(resolve));
    const answer = before.then(() => begin(name, args));
    waiting.set(name, answer);
    return answer;
  };
}

/** Resolves when the answer is there, whatever it is, or is late. */
export async function settledOrLate(answer: Promise<unknown>, mostWaitMs: number): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    late = setTimeout(resolve, mostWaitMs);
  });
  await Promise.race([answer.catch(() => undefined), end]);
  clearTimeout(late);
}
