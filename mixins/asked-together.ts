/**
 * Asks once for what is asked for more than once in the same turn of the event loop, by its arguments. Nothing is kept:
 * each answer was begun after it was asked for.
 */
export function askedTogether<Args extends readonly (string | number | undefined)[], Answer>(
  ask: (...args: Args) => Promise<Answer>,
): (...args: Args) => Promise<Answer> {
  const waiting = new Map<string, Promise<Answer>>();
  return (...args) => {
    const name = JSON.stringify(args);
    const known = waiting.get(name);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(name, promise);
    setImmediate(() => {
      waiting.delete(name);
      resolve(ask(...args));
    });
    return promise;
  };
}
