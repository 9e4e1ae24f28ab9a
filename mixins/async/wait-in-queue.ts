/**
 * Waits at the end of a queue of functions. Resolves with true when the queue's owner removes the added function and
 * calls it. After `maxWaitMs` it removes the function itself, and resolves with false.
 */
export function waitInQueue(waiting: (() => void)[], maxWaitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1);
      resolve(false);
    }, maxWaitMs);
    waiting.push(begin);
  });
}
