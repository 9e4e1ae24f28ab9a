import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { batchedFind } from "./batched-find.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("reads by id while two queries are in flight", () => {
  afterEach(() => void jest.useRealTimers());

  function pendingReads(...options: [maxRows?: number]) {
    const queries: (readonly string[])[] = [];
    const find = (filter: { _id: { $in: readonly string[] } }) => {
      queries.push(filter._id.$in);
      return { lean: () => new Promise(() => undefined) };
    };
    const read = batchedFind({ find } as never, {}, ...options);
    return { queries, read };
  }

  test("are one query, which waits for them no longer than 20 ms", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate"] });
    const { queries, read } = pendingReads();
    for (const id of ["a", "b", "c", "d"]) {
      void read({ _id: id, guildId: "1" });
      await turn();
    }
    expect(queries).toEqual([["a"], ["b"]]);
    await jest.advanceTimersByTimeAsync(20);
    expect(queries).toEqual([["a"], ["b"], ["c", "d"]]);
  });

  test("have at most the given number of rows each", async () => {
    const { queries, read } = pendingReads(2);
    for (const id of ["a", "b", "c"]) void read({ _id: id, guildId: "1" });
    await turn();
    expect(queries).toEqual([["a", "b"], ["c"]]);
  });
});

describe("reads by id of several guilds in one query", () => {
  const rows = [
    { _id: "a", guildId: "1" },
    { _id: "b", guildId: "2" },
  ];

  test("name the guilds, which are the shard key, and get no row of another guild", async () => {
    const filters: unknown[] = [];
    const find = (filter: unknown) => {
      filters.push(filter);
      return { lean: async () => rows };
    };
    const read = batchedFind({ find } as never, {});
    const wanted = [rows[0], { _id: "a", guildId: "2" }, { _id: "b", guildId: "1" }] as const;
    await expect(Promise.all(wanted.map((key) => read(key!)))).resolves.toEqual([rows[0], null, null]);
    expect(filters).toEqual([{ _id: { $in: ["a", "b"] }, guildId: { $in: ["1", "2"] } }]);
  });
});
