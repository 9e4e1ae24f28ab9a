/** An operation did not answer in time. Its outcome is unknown. */
export class OperationTimeout extends Error {}

/**
 * Wraps each operation with a timeout. Without one, a connection whose other end disappeared without a reset blocks a
 * post for ever.
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

/** Resolves with the answer, or rejects with OperationTimeout after `ms`. The operation itself is not cancelled. */
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

/** Longest wait, in milliseconds, for an operation that another caller started. */
export const MAX_JOIN_WAIT_MS = 20;

/** Resolves when the operation has settled in any way, or after `ms`. */
export async function settledOrTimedOut(answer: Promise<unknown>, ms: number): Promise<void> {
  await withTimeout(ms, "the awaited operation", answer).catch(() => undefined);
}
