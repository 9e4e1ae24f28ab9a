import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Change, ChangeMark } from "../../../contracts/change-feed.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { mergeChangeFeeds } from "./merge-change-feeds.ts";

const anyFeed = fc.uniqueArray(
  fc.record({
    changedAt: fc.integer({ min: 1, max: 9 }),
    id: fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 4 }),
  }),
  {
    selector: ({ changedAt, id }) => `${changedAt} ${id}`,
    maxLength: 20,
  },
);

function isAfter({ changedAt, id }: Pick<Change, "changedAt" | "id">, mark: ChangeMark): boolean {
  return changedAt > mark.at || (changedAt === mark.at && id > mark.id);
}

/** One page of a feed. */
function page(feed: readonly Pick<Change, "changedAt" | "id">[], mark: ChangeMark, limit: number) {
  const rest = feed
    .filter((change) => isAfter(change, mark))
    .toSorted((a, b) => a.changedAt - b.changedAt || (a.id < b.id ? -1 : 1))
    .map((change): Change => Object.assign({ guildId: "1" as GuildId, revision: 1, deleted: false }, change));
  return { changes: rest.slice(0, limit), mark, more: rest.length > limit };
}

describe("two merged change feeds", () => {
  test("have the time of the earlier read", () => {
    const mark = { at: 0, id: "" };
    const nothing = { changes: [], mark, more: false };
    const readAt = (times: readonly number[]) =>
      mergeChangeFeeds({ mark, limit: 1 }, [nothing, ...times.map((at) => ({ ...nothing, readAt: at }))]).readAt;
    expect([readAt([]), readAt([7]), readAt([9, 7])]).toEqual([undefined, 7, 7]);
  });

  test("read in pages, contain each change of both once, in order, and end", () => {
    fc.assert(
      fc.property(anyFeed, anyFeed, fc.integer({ min: 1, max: 7 }), (events, calendars, limit) => {
        const own = calendars.map(({ changedAt, id }) => ({ changedAt, id: `${id}/1` }));
        const read: string[] = [];
        let mark: ChangeMark = { at: 0, id: "" };
        for (let more = true; more;) {
          const merged = mergeChangeFeeds({ mark, limit }, [page(events, mark, limit), page(own, mark, limit)]);
          read.push(...merged.changes.map(({ changedAt, id }) => `${changedAt} ${id}`));
          ({ mark, more } = merged);
        }
        expect(read).toEqual([...events, ...own].map(({ changedAt, id }) => `${changedAt} ${id}`).toSorted());
      }),
    );
  });
});
