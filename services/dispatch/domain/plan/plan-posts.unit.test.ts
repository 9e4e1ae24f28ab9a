import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  samplePlanInput,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { matchesPlan } from "./current-state.ts";
import { firstPositionAt } from "./plan-order.ts";
import { planInputs } from "../../../../test/conformance/any-plan-input.ts";
import { onePlanned, plan, planned } from "../../../../test/fixtures/plan-samples.ts";
import type { PlanInput } from "./plan-input.ts";
import { isOpen, type Post, TRANSITIONS } from "../post/post.ts";

function plannedAt(startsAt: number): number {
  return plan({ occurrences: [sampleOccurrence({ startsAt })] }).inserts.length;
}

const NOTHING = { inserts: [], updates: [], removes: [] };

describe("the plan of a guild", () => {
  test("has one post for each announcement, covered occurrence and sink", () => {
    const announcements = [sampleAnnouncement(), sampleAnnouncement({ id: "a2" as AnnouncementId, minutes: 5 })];
    const { inserts } = plan({ announcements, sinks: ["log", "webhook"] });
    expect(inserts.map(({ id, dueAt }) => [id, dueAt - NOON])).toEqual([
      [`a2:e1:${NOON + HOUR}:log:1`, 55 * MINUTE],
      [`a2:e1:${NOON + HOUR}:webhook:1`, 55 * MINUTE],
      [`a1:e1:${NOON + HOUR}:log:1`, HOUR],
      [`a1:e1:${NOON + HOUR}:webhook:1`, HOUR],
    ]);
  });

  test("has only posts that are due within the horizon", () => {
    expect([NOON - 16 * MINUTE, NOON - 15 * MINUTE, NOON + 48 * HOUR - 1, NOON + 48 * HOUR].map(plannedAt)).toEqual([
      0, 1, 1, 0,
    ]);
  });

  test("cancels the post of a moved event, and has one at the new start", () => {
    const existing = [onePlanned()];
    const moved = sampleOccurrence({ startsAt: NOON + 2 * HOUR, scheduledAt: NOON });
    expect(plan({ existing, occurrences: [moved] })).toMatchObject({
      inserts: [{ startsAt: NOON + 2 * HOUR, state: "planned" }],
      updates: [{ to: { state: "cancelled", reason: "the event was moved", settledAt: NOON } }],
    });
  });

  test("moves the post of a re-timed announcement, and changes its channel", () => {
    const existing = [onePlanned()];
    const announcements = [sampleAnnouncement({ minutes: 10, channel: "78", standsSince: NOON })];
    expect(plan({ existing, announcements }).updates).toMatchObject([
      {
        planRevision: 1,
        to: { state: "planned", dueAt: NOON + 50 * MINUTE, wakeAt: NOON + 50 * MINUTE, channel: "78" },
      },
    ]);
  });

  test("keeps the instant of a waiting retry if the channel changes", () => {
    const existing = [{ ...onePlanned(), wakeAt: NOON + HOUR + 5_000, fence: 1 }];
    const announcements = [sampleAnnouncement({ channel: "78" })];
    expect(plan({ existing, announcements }).updates).toMatchObject([
      { fence: 1, to: { wakeAt: NOON + HOUR + 5_000 } },
    ]);
  });

  test("leaves a post unchanged whose occurrence was not read", () => {
    const existing = [onePlanned()];
    const unseen = { occurrences: [], windows: { START: [{ from: 0, until: NOON + HOUR }] } };
    expect(plan({ ...unseen, existing })).toEqual(NOTHING);
    expect(plan({ occurrences: [], through: NOON + HOUR, existing })).toEqual(NOTHING);
  });

  test("plans a cancelled post as the next round if it is desired again", () => {
    const off = planned({ existing: [onePlanned()], occurrences: [] });
    expect(plan({ existing: off }).inserts).toMatchObject([{ id: `a1:e1:${NOON + HOUR}:log:2`, round: 2 }]);
  });

  test("plans a skipped post again if its announcement is re-timed to an instant ahead", () => {
    const late = sampleAnnouncement({ hours: 2, standsSince: NOON });
    const existing = planned({ announcements: [late] });
    expect(existing).toMatchObject([{ state: "skipped" }]);
    const announcements = [{ ...late, hours: 0, minutes: 30 }];
    expect(plan({ existing, announcements }).inserts).toMatchObject([{ state: "planned", round: 2 }]);
  });

  test("skips posts that were due before a sink was enabled, with the reason, and plans them for other sinks", () => {
    const occurrences = [
      sampleOccurrence({ startsAt: NOON - MINUTE }),
      sampleOccurrence({ occurrenceId: "e2" as never }),
    ];
    const { inserts } = plan({ occurrences, sinks: ["log", "discord"], sinksEnabledSince: { log: 0, discord: NOON } });
    expect(inserts.map(({ occurrenceId, sink, state, reason }) => [occurrenceId, sink, state, reason])).toEqual([
      ["e1", "log", "planned", undefined],
      ["e2", "log", "planned", undefined],
      ["e2", "discord", "planned", undefined],
      ["e1", "discord", "skipped", "the sink discord was switched on after it was due"],
    ]);
  });

  test("plans a missed or failed post again only if it moved to an instant that was ahead", () => {
    for (const state of ["missed", "failed"] as const) {
      const announcements = [sampleAnnouncement({ minutes: 30 })];
      const existing = [{ ...onePlanned({ announcements }), state, settledAt: NOON + 50 * MINUTE }];
      const now = NOON + 51 * MINUTE;
      expect(plan({ existing, announcements, now, start: firstPositionAt(NOON) })).toEqual(NOTHING);
      const later = [sampleAnnouncement({ minutes: 5, standsSince: now })];
      expect(plan({ existing, announcements: later, now, start: firstPositionAt(NOON) }).inserts).toMatchObject([
        { round: 2 },
      ]);
    }
  });

  test.each(["sent", "sending", "unknown"] as const)("never plans a post again that is %s", (state) => {
    const existing = [{ ...onePlanned(), state }];
    expect(plan({ existing })).toEqual(NOTHING);
    expect(plan({ existing, announcements: [sampleAnnouncement({ minutes: 30 })] })).toEqual(NOTHING);
    expect(plan({ existing, occurrences: [] })).toEqual(NOTHING);
  });

  test("announces an occurrence again only if it moved by a minute to a due instant ahead", () => {
    const existing = [{ ...onePlanned(), state: "sent" as const }];
    const movedTo = (startsAt: number, scheduledAt: number) =>
      plan({ existing, occurrences: [sampleOccurrence({ startsAt, scheduledAt })] }).inserts.map(({ state }) => state);
    expect(movedTo(NOON + HOUR + MINUTE - 1, NOON)).toEqual(["skipped"]);
    expect(movedTo(NOON + HOUR + MINUTE, NOON)).toEqual(["planned"]);
    expect(movedTo(NOON + 2 * HOUR, NOON + 2 * HOUR - 1)).toEqual(["planned"]);
    const announcements = [sampleAnnouncement({ hours: 1 })];
    const past = [sampleOccurrence({ startsAt: NOON + 90 * MINUTE, scheduledAt: NOON + 30 * MINUTE })];
    expect(plan({ existing, announcements, occurrences: past }).inserts).toMatchObject([
      { state: "skipped", reason: "the event had been announced already" },
    ]);
  });

  test("skips a suspended announcement, with the reason, until the announcement is updated", () => {
    const refused = { ...onePlanned(), id: "r", state: "failed", reason: "Unknown Channel", suspends: 1 } as const;
    const existing = [{ ...refused, occurrenceId: "e0" as OccurrenceId, settledAt: NOON }];
    const skipped = planned({ existing });
    expect(skipped).toMatchObject([
      {},
      { state: "skipped", reason: "the announcement is suspended until it is updated: Unknown Channel" },
    ]);
    expect(plan({ existing: skipped, announcements: [sampleAnnouncement({ revision: 2 })] }).inserts).toMatchObject([
      { state: "planned", round: 2 },
    ]);
    expect(plan({ existing, sinks: ["webhook"] }).inserts).toMatchObject([{ state: "planned" }]);
  });
});

/** Plans one input after another. The posts that are due at the end of each are claimed and sent. */
function history(
  steps: readonly Partial<PlanInput>[],
  check: (before: Post[], after: Post[], input: PlanInput) => void,
) {
  let rows: Post[] = [];
  for (const step of steps) {
    const input = samplePlanInput({ ...step, existing: rows });
    const after = planned({ ...input });
    check(rows, after, input);
    rows = after.map((row) => (row.dueAt <= input.now ? sent(row, input.now) : row));
  }
}

function sent(row: Post, settledAt: number): Post {
  return row.state === "planned" ? { ...row, state: "sent", settledAt } : row;
}

describe("the plan of any input", () => {
  test("changes nothing if the input is unchanged", () => {
    fc.assert(
      fc.property(planInputs, (steps) =>
        history(steps, (_before, after, input) => {
          expect(plan({ ...input, existing: after })).toEqual(NOTHING);
        }),
      ),
    );
  });

  test("uses only the allowed transitions, and leaves settled posts unchanged", () => {
    fc.assert(
      fc.property(planInputs, (steps) =>
        history(steps, (before, after) => {
          const rows = new Map(after.map((row) => [row.id, row]));
          for (const row of before) {
            const next = rows.get(row.id) as Post;
            const allowed = isOpen(row) ? TRANSITIONS[row.state].includes(next.state) : next === row;
            expect(allowed).toBe(true);
          }
        }),
      ),
    );
  });

  test("has only posts that match the current state by the check of the due instant", () => {
    fc.assert(
      fc.property(planInputs, (steps) =>
        history(steps, (_before, rows, { announcements, occurrences, start: { at: from }, through, graceMs }) => {
          for (const row of rows.filter(({ state }) => state === "planned")) {
            if (row.dueAt < from || row.dueAt >= through) continue;
            const rule = announcements.find(({ id }) => id === row.announcementId);
            const announcement = rule === undefined ? null : sampleAnnouncement(rule);
            const occurrence = occurrences.find(({ occurrenceId }) => occurrenceId === row.occurrenceId) ?? null;
            expect(matchesPlan(row, { announcement, occurrence, settings: {} as never }, graceMs)).toBe(true);
          }
        }),
      ),
    );
  });

  test("has at most one open or sent post for an announcement of an occurrence at one start", () => {
    fc.assert(
      fc.property(planInputs, (steps) =>
        history(steps, (_before, after) => {
          const live = after.filter(({ state }) => state === "planned" || state === "sent");
          expect(new Set(live.map(({ id }) => id.replace(/:\d+$/, ""))).size).toBe(live.length);
        }),
      ),
    );
  });
});
