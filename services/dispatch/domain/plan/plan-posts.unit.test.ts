import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  sampleTruth,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { matchesPlan } from "./current-state.ts";
import { firstPositionAt } from "./plan-order.ts";
import { truths } from "../../../../test/conformance/any-truth.ts";
import { onePlanned, plan, planned } from "../../../../test/fixtures/plan-samples.ts";
import type { PlanInput } from "./plan-input.ts";
import { isOpen, type Post, TRANSITIONS } from "../post/post.ts";

function plannedAt(startsAt: number): number {
  return plan({ occurrences: [sampleOccurrence({ startsAt })] }).inserts.length;
}

const NOTHING = { inserts: [], updates: [], removes: [] };

describe("planning a guild", () => {
  test("each announcement of each occurrence that it covers is one post for each sink", () => {
    const announcements = [sampleAnnouncement(), sampleAnnouncement({ id: "a2" as AnnouncementId, minutes: 5 })];
    const { inserts } = plan({ announcements, sinks: ["log", "webhook"] });
    expect(inserts.map(({ id, dueAt }) => [id, dueAt - NOON])).toEqual([
      [`a2:e1:${NOON + HOUR}:log:1`, 55 * MINUTE],
      [`a2:e1:${NOON + HOUR}:webhook:1`, 55 * MINUTE],
      [`a1:e1:${NOON + HOUR}:log:1`, HOUR],
      [`a1:e1:${NOON + HOUR}:webhook:1`, HOUR],
    ]);
  });

  test("only what is due within the horizon is planned", () => {
    expect([NOON - 16 * MINUTE, NOON - 15 * MINUTE, NOON + 48 * HOUR - 1, NOON + 48 * HOUR].map(plannedAt)).toEqual([
      0, 1, 1, 0,
    ]);
  });

  test("a moved event's post is called off, and planned at the new start", () => {
    const existing = [onePlanned()];
    const moved = sampleOccurrence({ startsAt: NOON + 2 * HOUR, scheduledAt: NOON });
    expect(plan({ existing, occurrences: [moved] })).toMatchObject({
      inserts: [{ startsAt: NOON + 2 * HOUR, state: "planned" }],
      updates: [{ to: { state: "cancelled", reason: "the event was moved", settledAt: NOON } }],
    });
  });

  test("a re-timed announcement's post is moved, and its channel followed", () => {
    const existing = [onePlanned()];
    const announcements = [sampleAnnouncement({ minutes: 10, channel: "78", standsSince: NOON })];
    expect(plan({ existing, announcements }).updates).toMatchObject([
      {
        planRevision: 1,
        to: { state: "planned", dueAt: NOON + 50 * MINUTE, wakeAt: NOON + 50 * MINUTE, channel: "78" },
      },
    ]);
  });

  test("a retry that waits keeps its hour when the channel changes", () => {
    const existing = [{ ...onePlanned(), wakeAt: NOON + HOUR + 5_000, fence: 1 }];
    const announcements = [sampleAnnouncement({ channel: "78" })];
    expect(plan({ existing, announcements }).updates).toMatchObject([
      { fence: 1, to: { wakeAt: NOON + HOUR + 5_000 } },
    ]);
  });

  test("a post whose occurrence was not looked for stays as it is", () => {
    const existing = [onePlanned()];
    const unseen = { occurrences: [], windows: [{ from: 0, until: NOON + HOUR }] };
    expect(plan({ ...unseen, existing })).toEqual(NOTHING);
    expect(plan({ occurrences: [], through: NOON + HOUR, existing })).toEqual(NOTHING);
  });

  test("a post that was called off is planned anew, as the next round, when it is asked for again", () => {
    const off = planned({ existing: [onePlanned()], occurrences: [] });
    expect(plan({ existing: off }).inserts).toMatchObject([{ id: `a1:e1:${NOON + HOUR}:log:2`, round: 2 }]);
  });

  test("a skipped post is planned anew when its announcement is re-timed to an instant ahead", () => {
    const late = sampleAnnouncement({ hours: 2, standsSince: NOON });
    const existing = planned({ announcements: [late] });
    expect(existing).toMatchObject([{ state: "skipped" }]);
    const announcements = [{ ...late, hours: 0, minutes: 30 }];
    expect(plan({ existing, announcements }).inserts).toMatchObject([{ state: "planned", round: 2 }]);
  });

  test("what was due before a sink was switched on is skipped there, with the reason, and posted elsewhere", () => {
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

  test("a missed or failed post is planned anew only when it is re-timed to an instant that lay ahead", () => {
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

  test.each(["sent", "sending", "unknown"] as const)("what is %s is never planned again", (state) => {
    const existing = [{ ...onePlanned(), state }];
    expect(plan({ existing })).toEqual(NOTHING);
    expect(plan({ existing, announcements: [sampleAnnouncement({ minutes: 30 })] })).toEqual(NOTHING);
    expect(plan({ existing, occurrences: [] })).toEqual(NOTHING);
  });

  test("an occurrence that was announced is announced again only when it moved by a minute to a due instant ahead", () => {
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

  test("a suspended announcement is skipped, with the reason, until any update of it", () => {
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

/** Plans one truth after another; what is due at the end of each is claimed and sent. */
function history(
  steps: readonly Partial<PlanInput>[],
  look: (before: Post[], after: Post[], truth: PlanInput) => void,
) {
  let rows: Post[] = [];
  for (const step of steps) {
    const truth = sampleTruth({ ...step, existing: rows });
    const after = planned({ ...truth });
    look(rows, after, truth);
    rows = after.map((row) => (row.dueAt <= truth.now ? sent(row, truth.now) : row));
  }
}

function sent(row: Post, settledAt: number): Post {
  return row.state === "planned" ? { ...row, state: "sent", settledAt } : row;
}

describe("planning, whatever the truth", () => {
  test("planning unchanged truth again changes nothing", () => {
    fc.assert(
      fc.property(truths, (steps) =>
        history(steps, (_before, after, truth) => {
          expect(plan({ ...truth, existing: after })).toEqual(NOTHING);
        }),
      ),
    );
  });

  test("only the steps of the table are taken, and what is settled stays as it is", () => {
    fc.assert(
      fc.property(truths, (steps) =>
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

  test("what is planned stands by the very rule that is asked at the due instant", () => {
    fc.assert(
      fc.property(truths, (steps) =>
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

  test("an announcement of an occurrence at one start has at most one post that is open or sent", () => {
    fc.assert(
      fc.property(truths, (steps) =>
        history(steps, (_before, after) => {
          const live = after.filter(({ state }) => state === "planned" || state === "sent");
          expect(new Set(live.map(({ id }) => id.replace(/:\d+$/, ""))).size).toBe(live.length);
        }),
      ),
    );
  });
});
