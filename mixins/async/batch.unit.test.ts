import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { batched } from "./batch.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

interface UnderWay {
  readonly items: readonly string[];
  readonly end: (error?: Error) => void;
}

/** A batch function that runs until the test ends it. The result of an item is its capital letter. */
function observedBatches({ maxSize = 100, slotTimeoutMs }: { maxSize?: number; slotTimeoutMs?: number } = {}) {
  const begun: UnderWay[] = [];
  const ask = batched(
    (items: readonly string[]) =>
      new Promise<readonly (string | Error)[]>((resolve, reject) => {
        const end = (error?: Error) =>
          error === undefined ? resolve(items.map((item) => item.toUpperCase())) : reject(error);
        begun.push({ items, end });
      }),
    { maxSize, ...(slotTimeoutMs !== undefined && { slotTimeoutMs }) },
  );
  const shown = () => begun.map(({ items }) => items.join(""));
  /** Adds each letter in the same turn. */
  const addAll = async (letters: string) => {
    const outcomes = Promise.allSettled(letters.split("").map(ask));
    await turn();
    return { outcomes };
  };
  return { begun, shown, addAll };
}

describe("a batch", () => {
  afterEach(() => void jest.useRealTimers());

  test("contains the items of one turn of the event loop, and each item gets its own result", async () => {
    const { begun, shown, addAll } = observedBatches();
    const { outcomes } = await addAll("ab");
    begun[0]?.end();
    await expect(outcomes).resolves.toMatchObject([{ value: "A" }, { value: "B" }]);
    expect(shown()).toEqual(["ab"]);
  });

  test("collects all items that arrive while two batches run, and starts when one of them ends", async () => {
    const { begun, shown, addAll } = observedBatches();
    for (const letters of ["a", "b", "c", "d"]) await addAll(letters);
    expect(shown()).toEqual(["a", "b"]);
    begun[1]?.end();
    await turn();
    expect(shown()).toEqual(["a", "b", "cd"]);
  });

  test("is split when it has more items than the limit", async () => {
    const { shown, addAll } = observedBatches({ maxSize: 2 });
    await addAll("abc");
    expect(shown()).toEqual(["ab", "c"]);
  });

  test("that fails rejects all its items and lets the next batch start", async () => {
    const { begun, shown, addAll } = observedBatches();
    const { outcomes } = await addAll("ab");
    for (const letters of ["c", "d"]) await addAll(letters);
    begun[0]?.end(new Error("gone"));
    await expect(outcomes).resolves.toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    await turn();
    expect(shown()).toEqual(["ab", "c", "d"]);
  });

  test("that is slow lets one further batch start after the slot timeout", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate"] });
    const { begun, shown, addAll } = observedBatches({ slotTimeoutMs: 20 });
    for (const letters of ["a", "b", "c"]) await addAll(letters);
    expect(shown()).toEqual(["a", "b"]);
    await jest.advanceTimersByTimeAsync(20);
    expect(shown()).toEqual(["a", "b", "c"]);
    begun[0]?.end();
    for (const letters of ["d", "e"]) await addAll(letters);
    expect(shown()).toEqual(["a", "b", "c", "d"]);
  });

  test("without a slot timeout counts until it settles", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate"] });
    const { shown, addAll } = observedBatches();
    for (const letters of ["a", "b", "c"]) await addAll(letters);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(shown()).toEqual(["a", "b"]);
  });
});
