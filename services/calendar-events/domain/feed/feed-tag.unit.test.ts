import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type FeedCursor, readCursor, writeCursor } from "./feed-cursor.ts";
import { feedTag, isTagOf, unsettledTag } from "./feed-tag.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 24, 12);
const state = { changedAt: NOW - DAY, calendarRevision: 3 };

describe("the tag of a feed", () => {
  test("matches its own state and no other", () => {
    const tag = feedTag(state, NOW);
    expect(isTagOf(tag, state, NOW)).toBe(true);
    expect(isTagOf(tag, { ...state, changedAt: state.changedAt + 1 }, NOW)).toBe(false);
    expect(isTagOf(tag, { ...state, calendarRevision: 4 }, NOW)).toBe(false);
    expect(isTagOf(tag, { changedAt: 0, calendarRevision: 0 }, NOW)).toBe(false);
  });

  /** A tombstone expires after seven days. The last write of the remaining records is then an earlier one. */
  test("does not match after the days in which the tombstone of a removed event may have expired", () => {
    const tag = feedTag(state, NOW);
    expect([0, 4, 5].map((days) => isTagOf(tag, state, NOW + days * DAY))).toEqual([true, true, true]);
    expect([6, 7, 400].map((days) => isTagOf(tag, state, NOW + days * DAY))).toEqual([false, false, false]);
    expect(isTagOf(tag, state, NOW - DAY)).toBe(false);
  });

  test("of a feed that a write in flight may change matches no state", () => {
    expect(isTagOf(unsettledTag(state, "7123"), state, NOW)).toBe(false);
  });

  test.each(["", "/", "x", `${feedTag(state, NOW)}0`, `${feedTag(state, NOW)}x`, feedTag(state, NOW).slice(0, -1)])(
    "is refused: %j",
    (tag) => {
      expect(isTagOf(tag, state, NOW)).toBe(false);
    },
  );
});

describe("a cursor of a feed", () => {
  const anyAfter = fc.option(fc.integer({ min: -1, max: 253_402_300_799_999 }), { nil: undefined });
  const anyWithin = fc
    .record({ part: fc.integer({ min: 0, max: 51 }), after: anyAfter })
    .map(({ part, after }) => (after === undefined ? { part } : { part, after }));
  const anyCursor: fc.Arbitrary<FeedCursor> = fc
    .record({
      moment: fc.bigInt({ min: 1n, max: 2n ** 63n }).map(String),
      changedAt: fc.integer({ min: 0, max: 253_402_300_799_999 }),
      id: fc.oneof(fc.constant(""), fc.stringMatching(/^e[a-v0-9]{25}$/)),
      within: fc.option(anyWithin, { nil: undefined }),
    })
    .map(({ within, ...cursor }) => Object.assign(cursor, within === undefined ? {} : { within }));

  test("is read as it was written", () => {
    fc.assert(
      fc.property(anyCursor, (cursor) => {
        expect(readCursor(writeCursor(cursor))).toEqual(cursor);
      }),
    );
  });

  test.each(["", "1", "1.2", "x.2.", "1.2.e.x", "1.2.e.0.-2", "1.2.e.0.1.1"])("is refused: %j", (text) => {
    expect(readCursor(text)).toBeUndefined();
  });
});
