import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { MAX_RESPONSE_BYTES } from "../../services/contracts/list-limits.ts";
import { isRefusal } from "../../services/contracts/errors.ts";
import { pageCursors } from "./page-cursor.ts";
import { firstPage, type PagedList, pageOf } from "./page-entries.ts";

interface Entry {
  readonly at: number;
  readonly id: string;
}

const LIST: PagedList<Entry, readonly [number, string]> = {
  cursors: pageCursors("entries", [0, ""]),
  positionOf: ({ at, id }) => [at, id],
};
const anyEntries = fc.uniqueArray(fc.record({ at: fc.nat(3), id: fc.string({ maxLength: 2 }) }), {
  selector: ({ at, id }) => `${at}/${id}`,
});

/** The entries of all pages. Before each page the list is as `at` returns it. */
async function allPages(at: (page: number) => readonly Entry[], limits: readonly number[]): Promise<Entry[]> {
  const read: Entry[] = [];
  let cursor: string | undefined;
  for (let nth = 0; ; nth += 1) {
    const limit = limits[nth % limits.length] as number;
    const page = await pageOf(at(nth), cursor === undefined ? { limit } : { limit, cursor }, LIST);
    if (isRefusal(page)) throw new Error("the cursor was refused");
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    read.push(...page.entries);
    if (page.next === undefined) return read;
    cursor = page.next;
  }
}

describe("the pages of a list", () => {
  test("have each entry once and in order, with any limits", async () => {
    await fc.assert(
      fc.asyncProperty(anyEntries, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), async (all, limits) => {
        const read = await allPages(() => all, limits);
        expect(read.toSorted(compare)).toEqual(all.toSorted(compare));
        expect(read).toEqual(read.toSorted(compare));
      }),
    );
  });

  test("have each entry once that is there all the time, while others come and go", async () => {
    const anyLimits = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(anyEntries, anyLimits, fc.func(fc.boolean()), async (all, limits, isThere) => {
        const stays = all.filter((_, at) => at % 2 === 0);
        const comesAndGoes = all.filter((_, at) => at % 2 === 1);
        const at = (page: number) => [...stays, ...comesAndGoes.filter(({ id }) => isThere(page, id))];
        const read = await allPages(at, limits);
        expect(read.filter((entry) => stays.includes(entry)).toSorted(compare)).toEqual(stays.toSorted(compare));
        expect(new Set(read).size).toBe(read.length);
      }),
    );
  });

  test("have no next if the last one is full", async () => {
    const all = [1, 2, 3, 4].map((at) => ({ at, id: "a" }));
    const page = await firstPage(all, 4, () => "cursor");
    expect(page).toEqual({ entries: all });
    await expect(firstPage(all, 3, () => "cursor")).resolves.toEqual({ entries: all.slice(0, 3), next: "cursor" });
    await expect(firstPage([], 3, () => "cursor")).resolves.toEqual({ entries: [] });
  });

  test("end before 4 MiB of JSON, escapes included, and have at least one entry (D38)", async () => {
    const big = Array.from({ length: 300 }, (_, at) => ({ at, id: "\u0001".repeat(4_000) }));
    const page = await firstPage(big, 1_000, ({ at }) => String(at));
    const bytes = Buffer.byteLength(JSON.stringify(page.entries));
    expect(bytes).toBeLessThan(MAX_RESPONSE_BYTES);
    expect(bytes).toBeGreaterThan(MAX_RESPONSE_BYTES * 0.95);
    expect(page.next).toBe(String(page.entries.length - 1));
    const huge = [{ at: 0, id: "x".repeat(MAX_RESPONSE_BYTES) }, big[0]!];
    expect((await firstPage(huge, 10, ({ at }) => String(at))).entries).toEqual(huge.slice(0, 1));
  });

  test("have a hundred entries without a limit", async () => {
    const all = Array.from({ length: 101 }, (_, at) => ({ at, id: "a" }));
    expect((await firstPage(all, undefined, () => "cursor")).entries).toHaveLength(100);
  });
});

function compare(a: Entry, b: Entry): number {
  if (a.at !== b.at) return a.at - b.at;
  return a.id < b.id ? -1 : 1;
}
