import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import { truths } from "../../../../test/conformance/any-truth.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  sampleTruth,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { firstPositionAt } from "./plan-order.ts";
import { planPosts, planSelection } from "./plan-posts.ts";
import { plan, planned } from "../../../../test/fixtures/plan-samples.ts";
import { CANDIDATES_PER_POST, type PlanInput, MAX_OPEN_POSTS } from "./plan-input.ts";
import { isOpen, type Post } from "../post/post.ts";
import { selectSoonest, type Selection } from "./select-soonest.ts";

function occurrences(count: number, startsAt = (_at: number) => NOON + HOUR) {
  return Array.from({ length: count }, (_, at) =>
    sampleOccurrence({ occurrenceId: `o${String(at).padStart(6, "0")}` as OccurrenceId, startsAt: startsAt(at) }),
  );
}

function announcements(count: number) {
  return Array.from({ length: count }, (_, at) => sampleAnnouncement({ id: `a${at}` as AnnouncementId }));
}

function selected(truth: PlanInput, limit: number): { selection: Selection; pauses: number } {
  const { result: selection, pauses } = withPauses(selectSoonest(truth, limit));
  return { selection, pauses };
}

function withPauses<Result>(work: Generator<void, Result>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const step = work.next();
    if (step.done === true) return { result: step.value, pauses };
  }
}

function open(rows: readonly Post[]): Post[] {
  return rows.filter(isOpen);
}

const sent = (row: Post): Post => (isOpen(row) ? { ...row, state: "sent", settledAt: NOON, fence: 1 } : row);

const MAX_CANDIDATES = CANDIDATES_PER_POST * MAX_OPEN_POSTS;

describe("a guild that has more posts ahead than are planned at a time (D39)", () => {
  test("its soonest are planned, and the plan says where it ends", () => {
    const truth = { occurrences: occurrences(6, (at) => NOON + (9 - at) * MINUTE), maxOpenPosts: 4 };
    const { inserts, end, isFull } = planPosts(sampleTruth(truth));
    expect(inserts.map(({ dueAt }) => (dueAt - NOON) / MINUTE)).toEqual([4, 5, 6, 7]);
    expect(end).toEqual({ at: NOON + 8 * MINUTE, announcementId: "a1", occurrenceId: "o000001" });
    expect(isFull).toBe(true);
    expect(planPosts(sampleTruth({ ...truth, maxOpenPosts: 6 }))).toMatchObject({ end: undefined, isFull: false });
  });

  test("of thousands at one instant no more are planned than may be", () => {
    const { inserts, end } = planPosts(
      sampleTruth({ occurrences: occurrences(400), announcements: announcements(20) }),
    );
    expect(inserts).toHaveLength(MAX_OPEN_POSTS);
    expect(end).toMatchObject({ at: NOON + HOUR });
  });

  test("others have their turn between five hundred of the rows and candidates of a plan", () => {
    const truth = sampleTruth({ occurrences: occurrences(2_000) });
    const { selection } = selected(truth, MAX_CANDIDATES);
    // The candidates are gone through three times, the rows twice.
    const { result, pauses } = withPauses(planSelection(truth, selection));
    expect([result.inserts.length, pauses]).toEqual([2_000, 3 * 4]);
    const existing = planned(truth);
    const again = withPauses(planSelection(sampleTruth({ occurrences: occurrences(2_000), existing }), selection));
    expect([again.result.inserts.length, again.pauses]).toEqual([0, 5 * 4]);
  });

  test("what was sent takes no room: the next are planned, whether the plan starts where it ended or anew", () => {
    const truth = { occurrences: occurrences(10), maxOpenPosts: 4 };
    const { end } = planPosts(sampleTruth(truth));
    const existing = planned(truth).map(sent);
    const next = ["o000004", "o000005", "o000006", "o000007"];
    expect(plan({ ...truth, existing }).inserts.map(({ occurrenceId }) => occurrenceId)).toEqual(next);
    const goingOn = { ...truth, ...(end === undefined ? {} : { start: end }) };
    expect(plan({ ...goingOn, existing }).inserts.map(({ occurrenceId }) => occurrenceId)).toEqual(next);
    expect(plan({ ...goingOn, existing: [] }).inserts.map(({ occurrenceId }) => occurrenceId)).toEqual(next);
  });

  test("sooner posts take the room of later ones, which are put off without a trace and come back", () => {
    const later = occurrences(3, () => NOON + 2 * HOUR);
    const sooner = sampleOccurrence({ occurrenceId: "sooner" as OccurrenceId });
    const before = { occurrences: later, maxOpenPosts: 3 };
    const existing = planned(before);
    const { inserts, updates, removes, end } = planPosts(
      sampleTruth({ ...before, occurrences: [...later, sooner], existing, version: 1 }),
    );
    expect(inserts).toMatchObject([{ occurrenceId: "sooner" }]);
    expect(updates).toEqual([]);
    expect(removes).toEqual([{ id: existing[2]?.id, fence: 0, planRevision: 1 }]);
    expect(end).toMatchObject({ occurrenceId: "o000002" });
    const rows = [...existing.slice(0, 2), ...inserts.map(sent)];
    const back = plan({ ...before, occurrences: [...later, sooner], existing: rows, version: 7 }).inserts;
    // The row is another: a claim that was made on the first can't take it.
    expect(back).toMatchObject([{ id: existing[2]?.id, planRevision: 8 }]);
  });

  test("a post that is being sent, or waits for its next attempt, keeps its place", () => {
    const truth = { occurrences: occurrences(2, () => NOON + 2 * HOUR), maxOpenPosts: 2 };
    const [first, second] = planned(truth) as [Post, Post];
    const existing = [
      { ...first, state: "sending" as const, fence: 1 },
      { ...second, fence: 1 },
    ];
    const sooner = sampleOccurrence({ occurrenceId: "sooner" as OccurrenceId });
    expect(plan({ ...truth, occurrences: [...truth.occurrences, sooner], existing })).toEqual({
      inserts: [],
      updates: [],
      removes: [],
    });
  });

  test("an event that moves makes room for itself", () => {
    const truth = { occurrences: occurrences(3), maxOpenPosts: 3 };
    const existing = planned(truth);
    const moved = occurrences(3, () => NOON + 2 * HOUR);
    const { inserts, updates } = plan({ ...truth, occurrences: moved, existing });
    expect(updates.map(({ to }) => to.state)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(inserts).toHaveLength(3);
  });

  test("what no plan had room for before its time was over has a row for each announcement that says how many", () => {
    const truth = { occurrences: occurrences(10), announcements: announcements(2), maxOpenPosts: 4 };
    const { end } = planPosts(sampleTruth(truth));
    if (end === undefined) throw new Error("all is planned");
    const now = NOON + 2 * HOUR;
    const late = { ...truth, now, start: firstPositionAt(now - 15 * MINUTE), existing: planned(truth).map(sent) };
    const { inserts } = planPosts(sampleTruth({ ...late, bounded: { farthestEnd: end, recordedThrough: 0 } }));
    expect(inserts).toEqual([]);
    const all = planPosts(
      sampleTruth({ ...late, start: firstPositionAt(NOON), bounded: { farthestEnd: end, recordedThrough: 0 } }),
    );
    expect(all.inserts.map(({ announcementId, state, reason }) => [announcementId, state, reason])).toEqual([
      [
        "a0",
        "missed",
        "more than 4 posts of the guild were to be planned before it; this row stands for 5 other posts of the announcement, due until 1970-02-11T17:00:00.000Z",
      ],
      [
        "a1",
        "missed",
        "more than 4 posts of the guild were to be planned before it; this row stands for 9 other posts of the announcement, due until 1970-02-11T17:00:00.000Z",
      ],
    ]);
    const recorded = { farthestEnd: end, recordedThrough: now };
    expect(planPosts(sampleTruth({ ...late, start: firstPositionAt(NOON), bounded: recorded })).inserts).toEqual([]);
  });

  test("ten million pairs are looked at in slices, and the soonest of them are kept", () => {
    const truth = sampleTruth({ occurrences: occurrences(10_000), announcements: announcements(1_000) });
    const { selection, pauses } = selected(truth, MAX_CANDIDATES);
    expect(selection.candidates).toHaveLength(MAX_CANDIDATES);
    expect(selection.firstOmitted).toMatchObject({ announcementId: "a1", occurrenceId: "o000000" });
    expect(pauses).toBeGreaterThan(400);
  });
});

describe("a bounded plan, whatever the truth", () => {
  const bounds = fc.integer({ min: 1, max: 5 });

  test("a guild never has more open posts than it may have, and planning unchanged truth again changes nothing", () => {
    fc.assert(
      fc.property(truths, bounds, (steps, maxOpenPosts) => {
        let existing: Post[] = [];
        for (const [version, step] of steps.entries()) {
          const truth = { ...step, existing, maxOpenPosts, version };
          existing = planned(truth);
          expect(open(existing).length).toBeLessThanOrEqual(maxOpenPosts);
          expect(plan({ ...truth, existing })).toEqual({ inserts: [], updates: [], removes: [] });
        }
      }),
    );
  });

  test("its open posts are the first of those that an unbounded plan would have", () => {
    fc.assert(
      fc.property(truths, bounds, ([step = {}], maxOpenPosts) => {
        const all = open(planned({ ...step })).map(({ id }) => id);
        const some = open(planned({ ...step, maxOpenPosts })).map(({ id }) => id);
        expect(some.length).toBe(Math.min(all.length, maxOpenPosts));
        expect(all.slice(0, some.length)).toEqual(some);
      }),
    );
  });

  test("going on as room comes, it comes to all that an unbounded plan would have", () => {
    fc.assert(
      fc.property(truths, bounds, ([step = {}], maxOpenPosts) => {
        const all = open(planned({ ...step })).map(({ id }) => id);
        let existing: Post[] = [];
        let start: Partial<PlanInput> = {};
        // As the planner does it: each plan begins where the one before ended.
        for (let turn = 0; turn <= 2 * all.length; turn += 1) {
          const truth = { ...step, existing, maxOpenPosts, ...start };
          const { end } = planPosts(sampleTruth(truth));
          existing = planned(truth).map(sent);
          start = end === undefined ? {} : { start: end };
        }
        const done = existing.filter(({ state }) => state === "sent").map(({ id }) => id);
        expect(done.toSorted()).toEqual(all.toSorted());
      }),
    );
  });
});
