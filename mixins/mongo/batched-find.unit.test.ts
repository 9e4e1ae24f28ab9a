import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { batchedFind } from "./batched-find.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("reads by id while two queries are in flight", () => {
  afterEach(() => void jest.useRealTimers());

  function readsOfSilence() {
    const asked: (readonly string[])[] = [];
    const find = (filter: { _id: { $in: readonly string[] } }) => {
      asked.push(filter._id.$in);
      return { lean: () => new Promise(() => undefined) };
    };
    const read = batchedFind({ find } as never, {});
    return { asked, read };
  }

  test("are one query, which waits for them no longer than 20 ms", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate"] });
    const { asked, read } = readsOfSilence();
    for (const id of ["a", "b", "c", "d"]) {
      void read(id);
      await turn();
    }
    expect(asked).toEqual([["a"], ["b"]]);
    await jest.advanceTimersByTimeAsync(20);
    expect(asked).toEqual([["a"], ["b"], ["c", "d"]]);
  });
});
