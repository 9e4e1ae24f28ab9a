import { describe, expect, test } from "@jest/globals";
import { withTimeouts, OperationTimeout } from "./timeout.ts";

const never = new Promise<string>(() => {});
const bounded = withTimeouts(
  { slow: () => never, quick: (text: string) => Promise.resolve(text), bad: () => Promise.reject(new Error("no")) },
  () => 20,
);

describe("operations with a time limit", () => {
  test("an operation that never responds is rejected", async () => {
    await expect(bounded.slow()).rejects.toBeInstanceOf(OperationTimeout);
  });

  test("each step of an iteration has the limit, and the iteration ends with its caller's", async () => {
    let isOver = false;
    const steps = withTimeouts(
      {
        async *read() {
          try {
            yield 1;
            yield 2;
            await never;
          } finally {
            isOver = true;
          }
        },
      },
      () => 20,
    );
    const seen: number[] = [];
    const readAll = async () => {
      for await (const step of steps.read()) seen.push(step);
    };
    await expect(readAll()).rejects.toBeInstanceOf(OperationTimeout);
    expect(seen).toEqual([1, 2]);
    for await (const step of steps.read()) if (step === 1) break;
    expect(isOver).toBe(true);
  });

  test("an operation that can be awaited or iterated is awaited", async () => {
    const query = Object.assign(Promise.resolve(7), { [Symbol.asyncIterator]: () => [7].values() });
    await expect(withTimeouts({ count: () => query }, () => 1_000).count()).resolves.toBe(7);
  });

  test("a response and an error pass unchanged", async () => {
    await expect(bounded.quick("yes")).resolves.toBe("yes");
    await expect(bounded.bad()).rejects.toThrow("no");
  });
});
