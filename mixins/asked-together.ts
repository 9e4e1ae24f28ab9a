import { MOST_WAIT_MS, settledOrLate } from "./bounded-answers.ts";
import { PassingMap } from "./passing-map.ts";

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
