/** An operation did not respond in time. Its outcome is unknown. */
export class OperationTimeout extends Error {}

/**
 * Returns an object whose methods are those of `operations`, each with a timeout. Only own methods are wrapped, so
 * `operations` must be a plain object and no instance of a class. Without a timeout, a connection whose other end
 * disappeared without a reset would block the caller for ever. A method that returns an async iterable has the timeout for
 * each step.
 *
 * @param withinMs - The timeout of the method with that name, in milliseconds.
 */
export function withTimeouts<Operations extends object>(
  operations: Operations,
  withinMs: (name: string) => number,
): Operations {
  const bounded = Object.entries(operations).map(([name, operation]) => [
    name,
    (...args: unknown[]) => {
      const result = (operation as (...args: unknown[]) => unknown)(...args);
      return isAsyncIterable(result)
        ? withStepTimeouts(withinMs(name), name, result)
        : withTimeout(withinMs(name), name, result);
    },
  ]);
  return Object.fromEntries(bounded) as Operations;
}

/** A query of mongoose can be iterated, too, and is awaited here. */
function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in Object(value) && !("then" in Object(value));
}

async function* withStepTimeouts<Item>(ms: number, name: string, items: AsyncIterable<Item>): AsyncIterable<Item> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await withTimeout(ms, name, iterator.next());
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    // Not awaited: after a timeout the iterator waits for what did not respond.
    void iterator.return?.().catch(() => undefined);
  }
}

/** Settles as the operation does, or rejects with OperationTimeout after `ms`. The operation is not cancelled. */
export async function withTimeout<Result>(
  ms: number,
  name: string,
  operation: Result | Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OperationTimeout(`${name} did not respond within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([operation, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when the operation has settled in any way, or after `ms`. */
export async function settledOrTimedOut(operation: Promise<unknown>, ms: number): Promise<void> {
  await withTimeout(ms, "the awaited operation", operation).catch(() => undefined);
}
