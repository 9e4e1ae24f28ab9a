import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import { planInputs } from "../../../../test/conformance/any-plan-input.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  samplePlanInput,
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

function selected(input: PlanInput, limit: number): { selection: Selection; pauses: number } {
  const { result: selection, pauses } = withPauses(selectSoonest(input, limit));
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

describe("the plan of a guild with more posts ahead than may be open (D39)", () => {
  test("has the soonest posts and its end", () => {
    const input = { occurrences: occurrences(6, (at) => NOON + (9 - at) * MINUTE), maxOpenPosts: 4 };
    const { inserts, end, isFull } = planPosts(samplePlanInput(input));
    expect(inserts.map(({ dueAt }) => (dueAt - NOON) / MINUTE)).toEqual([4, 5, 6, 7]);
    expect(end).toEqual({ at: NOON + 8 * MINUTE, announcementId: "a1", occurrenceId: "o000001" });
    expect(isFull).toBe(true);
    expect(planPosts(samplePlanInput({ ...input, maxOpenPosts: 6 }))).toMatchObject({ end: undefined, isFull: false });
  });

  test("has no more posts than may be open, even of thousands at one instant", () => {
    const { inserts, end } = planPosts(
      samplePlanInput({ occurrences: occurrences(400), announcements: announcements(20) }),
    );
    expect(inserts).toHaveLength(MAX_OPEN_POSTS);
    expect(end).toMatchObject({ at: NOON + HOUR });
  });

  test("pauses after every hundred rows or candidates", () => {
    const input = samplePlanInput({ occurrences: occurrences(2_000) });
    const { selection } = selected(input, MAX_CANDIDATES);
    // The plan visits the candidates twice, and the rows twice.
    const { result, pauses } = withPauses(planSelection(input, selection));
    expect([result.inserts.length, pauses]).toEqual([2_000, 2 * 20]);
    const existing = planned(input);
    const again = withPauses(planSelection(samplePlanInput({ occurrences: occurrences(2_000), existing }), selection));
    expect([again.result.inserts.length, again.pauses]).toEqual([0, 4 * 20]);
  });

  test("continues with the next posts after posts were sent, from its end as well as from its start", () => {
    const input = { occurrences: occurrences(10), maxOpenPosts: 4 };
    const { end } = planPosts(samplePlanInput(input));
    const existing = planned(input).map(sent);
    const next = ["o000004", "o000005", "o000006", "o000007"];
    expect(plan({ ...input, existing }).inserts.map(({ occurrenceId }) => occurrenceId)).toEqual(next);
    const continued = { ...input, ...(end === undefined ? {} : { start: end }) };
    expect(plan({ ...continued, existing }).inserts.map(({ occurrenceId }) => occurrenceId)).toEqual(next);
    expect(plan({ ...continued, existing: [] }).inserts.map(({ occurrenceId }) => occurrenceId)).toEqual(next);
  });

  test("defers later posts for sooner ones by removing their rows, and plans them again when there is room", () => {
    const later = occurrences(3, () => NOON + 2 * HOUR);
    const sooner = sampleOccurrence({ occurrenceId: "sooner" as OccurrenceId });
    const before = { occurrences: later, maxOpenPosts: 3 };
    const existing = planned(before);
    const { inserts, updates, removes, end } = planPosts(
      samplePlanInput({ ...before, occurrences: [...later, sooner], existing, version: 1 }),
    );
    expect(inserts).toMatchObject([{ occurrenceId: "sooner" }]);
    expect(updates).toEqual([]);
    expect(removes).toEqual([{ id: existing[2]?.id, fence: 0, planRevision: 1 }]);
    expect(end).toMatchObject({ occurrenceId: "o000002" });
    const rows = [...existing.slice(0, 2), ...inserts.map(sent)];
    const restored = plan({ ...before, occurrences: [...later, sooner], existing: rows, version: 7 }).inserts;
    // The row has another revision: a claim of the first row can't take it.
    expect(restored).toMatchObject([{ id: existing[2]?.id, planRevision: 8 }]);
  });

  test("keeps posts that are being sent or wait for their next attempt", () => {
    const input = { occurrences: occurrences(2, () => NOON + 2 * HOUR), maxOpenPosts: 2 };
    const [first, second] = planned(input) as [Post, Post];
    const existing = [
      { ...first, state: "sending" as const, fence: 1 },
      { ...second, fence: 1 },
    ];
    const sooner = sampleOccurrence({ occurrenceId: "sooner" as OccurrenceId });
    expect(plan({ ...input, occurrences: [...input.occurrences, sooner], existing })).toEqual({
      inserts: [],
      updates: [],
      removes: [],
    });
  });

  test("has room for the new posts of events that moved", () => {
    const input = { occurrences: occurrences(3), maxOpenPosts: 3 };
    const existing = planned(input);
    const moved = occurrences(3, () => NOON + 2 * HOUR);
    const { inserts, updates } = plan({ ...input, occurrences: moved, existing });
    expect(updates.map(({ to }) => to.state)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(inserts).toHaveLength(3);
  });

  test("has one missed row for each announcement for posts that expired before there was room, with their number", () => {
    const input = { occurrences: occurrences(10), announcements: announcements(2), maxOpenPosts: 4 };
    const { end } = planPosts(samplePlanInput(input));
    if (end === undefined) throw new Error("all is planned");
    const now = NOON + 2 * HOUR;
    const late = { ...input, now, start: firstPositionAt(now - 15 * MINUTE), existing: planned(input).map(sent) };
    const { inserts } = planPosts(samplePlanInput({ ...late, bounded: { end, farthestEnd: end, recordedThrough: 0 } }));
    expect(inserts).toEqual([]);
    const all = planPosts(
      samplePlanInput({
        ...late,
        start: firstPositionAt(NOON),
        bounded: { end, farthestEnd: end, recordedThrough: 0 },
      }),
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
    const recorded = { end, farthestEnd: end, recordedThrough: now };
    expect(planPosts(samplePlanInput({ ...late, start: firstPositionAt(NOON), bounded: recorded })).inserts).toEqual(
      [],
    );
  });

  test("marks the posts for which there was no room before they were due (D44)", () => {
    const input = { occurrences: occurrences(10), maxOpenPosts: 4 };
    const { end } = planPosts(samplePlanInput(input));
    if (end === undefined) throw new Error("all is planned");
    const bounded = { end, farthestEnd: end, recordedThrough: 0 };
    const marksAt = (now: number) => {
      const next = { ...input, now, start: firstPositionAt(NOON), bounded, existing: planned(input).map(sent) };
      return planPosts(samplePlanInput(next)).inserts.map(({ overLimit, plannedAt }) => [overLimit, plannedAt]);
    };
    const dueAt = planned(input)[0]?.dueAt ?? 0;
    expect(marksAt(dueAt + MINUTE)).toEqual(Array.from({ length: 4 }, () => [true, dueAt + MINUTE]));
    expect(marksAt(dueAt - MINUTE)).toEqual(Array.from({ length: 4 }, () => [undefined, undefined]));
  });

  test("selects the soonest of half a million pairs in slices", () => {
    const input = samplePlanInput({ occurrences: occurrences(10_000), announcements: announcements(50) });
    const { selection, pauses } = selected(input, MAX_CANDIDATES);
    expect(selection.candidates).toHaveLength(MAX_CANDIDATES);
    expect(selection.firstOmitted).toMatchObject({ announcementId: "a1", occurrenceId: "o000000" });
    // A pause for each thousand pairs that were examined.
    expect(pauses).toBe((2 * MAX_CANDIDATES) / 1_000);
  });
});

describe("a bounded plan of any input", () => {
  const bounds = fc.integer({ min: 1, max: 5 });

  test("never has more open posts than the limit, and changes nothing if the input is unchanged", () => {
    fc.assert(
      fc.property(planInputs, bounds, (steps, maxOpenPosts) => {
        let existing: Post[] = [];
        for (const [version, step] of steps.entries()) {
          const input = { ...step, existing, maxOpenPosts, version };
          existing = planned(input);
          expect(open(existing).length).toBeLessThanOrEqual(maxOpenPosts);
          expect(plan({ ...input, existing })).toEqual({ inserts: [], updates: [], removes: [] });
        }
      }),
    );
  });

  test("has the first open posts of an unbounded plan", () => {
    fc.assert(
      fc.property(planInputs, bounds, ([step = {}], maxOpenPosts) => {
        const all = open(planned({ ...step })).map(({ id }) => id);
        const rows = planned({ ...step, maxOpenPosts });
        const some = open(rows).map(({ id }) => id);
        expect(all.slice(0, some.length)).toEqual(some);
        // If the first candidates are skipped, the next plan continues behind them.
        const hasAllCandidates = rows.length >= CANDIDATES_PER_POST * maxOpenPosts;
        expect(hasAllCandidates || some.length === Math.min(all.length, maxOpenPosts)).toBe(true);
      }),
    );
  });

  test("continues as posts settle, until it has planned all posts of an unbounded plan", () => {
    fc.assert(
      fc.property(planInputs, bounds, ([step = {}], maxOpenPosts) => {
        const all = open(planned({ ...step })).map(({ id }) => id);
        let existing: Post[] = [];
        let start: Partial<PlanInput> = {};
        // As the planner does: each plan starts where the one before ended.
        for (let turn = 0; turn <= 2 * all.length; turn += 1) {
          const input = { ...step, existing, maxOpenPosts, ...start };
          const { end } = planPosts(samplePlanInput(input));
          existing = planned(input).map(sent);
          start = end === undefined ? {} : { start: end };
        }
        const done = existing.filter(({ state }) => state === "sent").map(({ id }) => id);
        expect(done.toSorted()).toEqual(all.toSorted());
      }),
    );
  });
});
