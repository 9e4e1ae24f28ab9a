/** An operation did not answer in time; it may have happened or not. */
export class OperationTimeout extends Error {}

/**
 * The same operations, each of which settles within its time: a connection whose other end is silently gone must not
 * hold a post for ever.
 */
export function withTimeouts<Operations extends object>(
  operations: Operations,
  withinMs: (name: string) => number,
): Operations {
  const bounded = Object.entries(operations).map(([name, operation]) => [
    name,
    (...args: unknown[]) => withTimeout(withinMs(name), name, (operation as (...args: unknown[]) => unknown)(...args)),
  ]);
  return Object.fromEntries(bounded) as Operations;
}

/** The answer, when it comes within the time; rejects with OperationTimeout otherwise. What was asked for goes on. */
export async function withTimeout<Result>(ms: number, name: string, answer: Result | Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OperationTimeout(`${name} did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Who waits for the end of an answer that is not its own waits so long at most. */
export const MAX_JOIN_WAIT_MS = 20;

/** Resolves when the answer is there, whatever it is, or is late. */
export async function settledOrTimedOut(answer: Promise<unknown>, ms: number): Promise<void> {
  await withTimeout(ms, "who is waited for", answer).catch(() => undefined);
}
