/**
 * Waits at the end of a queue. Resolves with true when the queue's owner removes this function from the queue and
 * calls it, and with false after `maxWaitMs`; then it is no longer in the queue.
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
