import { describe, expect, test } from "@jest/globals";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { plan, planned } from "../../../../test/fixtures/plan-samples.ts";
import { MAX_ANNOUNCEMENTS } from "../../../contracts/announcements.contract.ts";
import { SINK_NAMES } from "../post/sink-name.ts";
import { MAX_UNSENT_POSTS } from "./plan-input.ts";
import { MAX_SKIPPED_ROWS } from "./skipped-posts.ts";

const NOTHING = { inserts: [], updates: [], removes: [] };
const LATE = "the announcement was created, enabled or re-timed after it was due";

/** Occurrences of the next hours, and an announcement that was made when each of them had been due already. */
function tooLate(count: number, differs: Parameters<typeof sampleAnnouncement>[0] = {}) {
  return {
    occurrences: Array.from({ length: count }, (_, at) =>
      sampleOccurrence({ occurrenceId: `o${at}` as OccurrenceId, startsAt: NOON + HOUR + at * MINUTE }),
    ),
    announcements: [sampleAnnouncement({ hours: 8_000, standsSince: NOON, revision: 3, ...differs })],
  };
}

describe("an announcement that comes too late for many occurrences", () => {
  test("has a row for each of the first ten", () => {
    const { inserts } = plan(tooLate(MAX_SKIPPED_ROWS));
    expect(inserts.map(({ state, reason }) => [state, reason])).toEqual(
      Array.from({ length: MAX_SKIPPED_ROWS }, () => ["skipped", LATE]),
    );
  });

  test("has one further row, which stands for all others and says how many they are", () => {
    const { inserts } = plan(tooLate(9_999));
    expect(inserts).toHaveLength(MAX_SKIPPED_ROWS + 1);
    expect(inserts.at(-1)).toMatchObject({
      state: "skipped",
      summaryOf: 3,
      occurrenceId: `o${MAX_SKIPPED_ROWS}`,
      reason: `${LATE}; this row stands for 9988 other posts of the announcement, and for further ones until it is changed`,
    });
  });

  test("gets no further rows until it is changed, even if occurrences are added or its first rows have expired", () => {
    const existing = planned(tooLate(50));
    expect(plan({ ...tooLate(50), existing })).toEqual(NOTHING);
    expect(plan({ ...tooLate(80), existing })).toEqual(NOTHING);
    expect(plan({ ...tooLate(80), existing: existing.slice(-1) })).toEqual(NOTHING);
  });

  test("gets one summary row again after a change, and the ten of another announcement are not counted", () => {
    const existing = planned(tooLate(50));
    const { inserts } = plan({ ...tooLate(50, { revision: 4 }), existing });
    expect(inserts).toMatchObject([{ summaryOf: 4, occurrenceId: `o${MAX_SKIPPED_ROWS + 1}` }]);
    const other = plan({ ...tooLate(50, { id: "a2" as AnnouncementId }), existing });
    expect(other.inserts).toHaveLength(MAX_SKIPPED_ROWS + 1);
  });

  test("has its ten rows and the common one in each sink", () => {
    expect(plan({ ...tooLate(50), sinks: ["log", "webhook"] }).inserts).toHaveLength(2 * (MAX_SKIPPED_ROWS + 1));
  });
});

test("the ledger keeps more unsent posts than a plan desires, with every sink", () => {
  expect(MAX_UNSENT_POSTS).toBeGreaterThan(MAX_ANNOUNCEMENTS * (MAX_SKIPPED_ROWS + 1) * SINK_NAMES.length);
});
