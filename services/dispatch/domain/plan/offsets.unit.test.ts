import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyAnnouncement, anyOccurrence } from "../../../../test/conformance/any-plan-input.ts";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  samplePlanInput,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { onePlanned, plan, planned } from "../../../../test/fixtures/plan-samples.ts";
import { dueInterval } from "../../../../test/lab/simulator/due-rules.ts";
import type { PostOffset } from "../../../contracts/announcement-offsets.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { AnnouncementId } from "../../../contracts/ids.ts";
import type { Post } from "../post/post.ts";
import { fireTime } from "./fire-time.ts";
import { elapsedOffset, offsetsOf } from "./offsets.ts";
import { planPosts } from "./plan-posts.ts";

const GRACE = 15 * MINUTE;

function offset(anchor: PostOffset["anchor"], minutes: number): PostOffset {
  return { anchor, minutes };
}

function timeOf(by: PostOffset, occurrence: Occurrence, standsSince = 0) {
  return fireTime(sampleAnnouncement({ offsets: [by], standsSince }), by, occurrence, GRACE);
}

/** An hour from noon on, created two hours before. */
const event = sampleOccurrence({ startsAt: NOON, scheduledAt: NOON - 2 * HOUR, createdAt: NOON - 2 * HOUR });

describe("a post by an offset (D54)", () => {
  test.each([
    ["before the start: not after the event", offset("START", -1), NOON - MINUTE, NOON + 14 * MINUTE],
    ["at the start", offset("START", 0), NOON, NOON + 15 * MINUTE],
    ["after the start: within the grace time", offset("START", 50), NOON + 50 * MINUTE, NOON + 65 * MINUTE],
    ["before the end: not after the event", offset("END", -10), NOON + 50 * MINUTE, NOON + HOUR],
    ["at the end: within the grace time", offset("END", 0), NOON + HOUR, NOON + HOUR + GRACE],
    ["after the end", offset("END", 90), NOON + 150 * MINUTE, NOON + 150 * MINUTE + GRACE],
    ["at the creation", offset("CREATED", 0), NOON - 2 * HOUR, NOON - 2 * HOUR + GRACE],
    ["after the creation: not after the event", offset("CREATED", 170), NOON + 50 * MINUTE, NOON + HOUR],
    ["at a change", offset("CHANGED", 0), NOON - 90 * MINUTE, NOON - 90 * MINUTE + GRACE],
    ["after a change: not after the event", offset("CHANGED", 140), NOON + 50 * MINUTE, NOON + HOUR],
  ])("is due %s", (_, by, dueAt, deadline) => {
    expect(timeOf(by, { ...event, rescheduledAt: NOON - 90 * MINUTE })).toEqual({ kind: "due", dueAt, deadline });
  });

  test.each([
    ["END", -30, { endSetAt: NOON + 40 * MINUTE }, NOON + 40 * MINUTE],
    ["START", -30, { scheduledAt: NOON - 10 * MINUTE }, NOON - 10 * MINUTE],
  ] as const)("is due at once if the event got its %s after the due instant", (anchor, minutes, times, dueAt) => {
    expect(timeOf(offset(anchor, minutes), { ...event, ...times })).toMatchObject({ kind: "due", dueAt });
  });

  test.each([
    ["its start after the start", offset("START", -5), { scheduledAt: NOON }],
    ["its end after the end", offset("END", -5), { endSetAt: NOON + HOUR }],
    ["its start after the due instant, behind the start", offset("START", 5), { scheduledAt: NOON + 6 * MINUTE }],
    ["its end after the due instant, behind the end", offset("END", 5), { endSetAt: NOON + 66 * MINUTE }],
  ])("is skipped if the event got %s", (_, by, times) => {
    expect(timeOf(by, { ...event, ...times })).toMatchObject({ kind: "skipped" });
  });

  test("is still due after the start or the end if the event got the time before the due instant", () => {
    expect(timeOf(offset("START", 5), { ...event, scheduledAt: NOON + MINUTE })).toMatchObject({ kind: "due" });
    expect(timeOf(offset("END", 5), { ...event, endSetAt: NOON + 64 * MINUTE })).toMatchObject({ kind: "due" });
  });

  test("is skipped if the announcement was set after the due instant, and does not exist if the anchor was over, too", () => {
    expect(timeOf(offset("END", -30), event, NOON + 40 * MINUTE)).toMatchObject({ kind: "skipped" });
    expect(timeOf(offset("END", -30), event, NOON + 61 * MINUTE)).toBeUndefined();
    expect(timeOf(offset("END", 30), event, NOON + 61 * MINUTE)).toMatchObject({ kind: "due" });
    expect(timeOf(offset("CREATED", 0), event, NOON)).toBeUndefined();
  });

  test("of the creation does not exist for an event that was over, and is skipped for one that is over by then", () => {
    const past = { ...event, createdAt: NOON + HOUR };
    expect(timeOf(offset("CREATED", 0), past)).toBeUndefined();
    expect(timeOf(offset("CREATED", 180), event)).toMatchObject({
      kind: "skipped",
      reason: "the event ends before it is due",
    });
    const { createdAt: _, ...second } = event;
    expect(timeOf(offset("CREATED", 0), second)).toBeUndefined();
  });

  test("of the creation is skipped if a series was moved after it was due, because its occurrences have other ids", () => {
    const series = { ...event, recurs: true };
    const moved = { ...series, scheduledAt: NOON - HOUR };
    expect(timeOf(offset("CREATED", 0), series)).toMatchObject({ kind: "due" });
    expect(timeOf(offset("CREATED", 0), moved)).toMatchObject({ kind: "skipped" });
    expect(timeOf(offset("CREATED", 90), moved)).toMatchObject({ kind: "due" });
  });

  test("is skipped at once if a later one from the same anchor is due at once as well", () => {
    const offsets = [offset("START", -60), offset("START", -30), offset("START", -5), offset("END", -65)];
    const late = { ...event, scheduledAt: NOON - 20 * MINUTE };
    const kinds = offsets.map((by) => fireTime(sampleAnnouncement({ offsets }), by, late, GRACE)?.kind);
    expect(kinds).toEqual(["skipped", "due", "due", "due"]);
  });

  test("is none for an event that was not changed, or was over at its change, and is skipped if it is over when due", () => {
    expect(timeOf(offset("CHANGED", 0), event)).toBeUndefined();
    expect(timeOf(offset("CHANGED", 0), { ...event, rescheduledAt: NOON + HOUR })).toBeUndefined();
    expect(timeOf(offset("CHANGED", 60), { ...event, rescheduledAt: NOON })).toMatchObject({
      kind: "skipped",
      reason: "the event ends before it is due",
    });
  });

  test("is due when the oracle of the simulator says so, which shares no code with dispatch", () => {
    fc.assert(
      fc.property(anyAnnouncement, anyOccurrence, (announcement, occurrence) => {
        for (const by of offsetsOf(announcement)) {
          const time = fireTime(announcement, by, occurrence, GRACE);
          const { anchor, ms } = elapsedOffset(announcement, by);
          const { dueAt, deadline } = time?.kind === "due" ? time : {};
          const expected = dueInterval(announcement, { anchor, minutes: ms / MINUTE }, occurrence, GRACE);
          expect({ dueAt, deadline }).toEqual({ dueAt: expected?.dueAt, deadline: expected?.deadline });
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the plan of an announcement with offsets (D54)", () => {
  const offsets = [offset("START", -60), offset("END", 0), offset("CREATED", 150)];
  const announcements = [sampleAnnouncement({ offsets })];
  /** From 13:00 to 14:00. */
  const ahead = sampleOccurrence({ scheduledAt: NOON - HOUR, createdAt: NOON - HOUR });
  const due = (posts: readonly Post[]) => posts.map(({ id, dueAt }) => [id, (dueAt - NOON) / MINUTE]);
  const sent = (posts: readonly Post[]) =>
    posts.map((post): Post => ({ ...post, state: "sent", settledAt: post.dueAt }));

  test("has a post for each offset, whose identity has the offset", () => {
    expect(due(planned({ announcements, occurrences: [ahead] }))).toEqual([
      [`a1:e1:${NOON + HOUR}:log:START-60:1`, 0],
      [`a1:e1:${NOON + HOUR}:log:CREATED+150:1`, 90],
      [`a1:e1:${NOON + HOUR}:log:END+0:${NOON + 2 * HOUR}:1`, 120],
    ]);
  });

  test("has the post of an event that started, or ended, before the plan begins", () => {
    const over = sampleOccurrence({ startsAt: NOON - 5 * HOUR, endsAt: NOON - HOUR });
    const after = [sampleAnnouncement({ offsets: [offset("START", 301), offset("END", 62)] })];
    expect(due(planned({ announcements: after, occurrences: [over] })).map(([, at]) => at)).toEqual([1, 2]);
  });

  test("leaves the id of a post by a lead time as it was", () => {
    expect(onePlanned().id).toBe(`a1:e1:${NOON + HOUR}:log:1`);
  });

  test("repeats a sent post only for an anchor that moved by a minute, and never for the creation", () => {
    const existing = sent(planned({ announcements, occurrences: [ahead] }));
    const changed = (times: Partial<Occurrence>) => {
      const changes = plan({ announcements, existing, now: NOON + MINUTE, occurrences: [{ ...ahead, ...times }] });
      return changes.inserts.filter(({ state }) => state === "planned").map((post) => post.offset?.anchor);
    };
    expect(changed({})).toEqual([]);
    const [startsAt, endsAt, scheduledAt] = [NOON + 5 * HOUR, NOON + 6 * HOUR, NOON + MINUTE];
    expect(changed({ startsAt, endsAt, scheduledAt })).toEqual(["START", "END"]);
    expect(changed({ endsAt: NOON + 3 * HOUR, endSetAt: scheduledAt })).toEqual(["END"]);
    expect(changed({ endsAt: NOON + 2 * HOUR + 1_000, endSetAt: scheduledAt })).toEqual([]);
    expect(changed({ startsAt: NOON + 1.5 * HOUR, scheduledAt })).toEqual(["START"]);
    const startsLater = { startsAt: NOON + 3 * HOUR, endsAt: NOON + 3 * HOUR + MINUTE, scheduledAt: NOON + 2.5 * HOUR };
    expect(changed(startsLater)).toEqual(["END"]);
  });

  test("cancels the posts of offsets that the announcement has no more, although no event is read by their anchors", () => {
    const existing = planned({ announcements, occurrences: [ahead] });
    const input = { existing, occurrences: [], windows: { START: [{ from: 0, until: NOON + 100 * HOUR }] } };
    const retimed = plan({ ...input, announcements: [sampleAnnouncement({ standsSince: NOON })] });
    const reasons = (changes: ReturnType<typeof plan>) =>
      changes.updates.map(({ to }) => (to.state === "planned" ? undefined : to.reason));
    expect(reasons(retimed)).toEqual(Array.from({ length: 3 }, () => "the announcement was re-timed"));
    expect(reasons(plan({ ...input, announcements: [] }))).toHaveLength(3);
    const disabled = [sampleAnnouncement({ offsets, enabled: false })];
    expect(reasons(plan({ ...input, announcements: disabled }))).toHaveLength(3);
  });

  test("has a post for each change that comes a minute or more after the last one, in place of one that is not sent yet", () => {
    const changes = [sampleAnnouncement({ offsets: [offset("CHANGED", 5)] })];
    const changedAt = (at: number) => sampleOccurrence({ scheduledAt: at, rescheduledAt: at });
    const first = planned({ announcements: changes, occurrences: [changedAt(NOON)] });
    expect(due(first)).toEqual([[`a1:e1:${NOON + HOUR}:log:CHANGED+5:${NOON}:1`, 5]]);
    const again = { announcements: changes, occurrences: [changedAt(NOON + MINUTE)] };
    const replaced = plan({ ...again, existing: first, now: NOON + MINUTE });
    expect(replaced.updates).toMatchObject([{ to: { state: "cancelled", reason: "the event was moved" } }]);
    expect(due(replaced.inserts)).toEqual([[`a1:e1:${NOON + HOUR}:log:CHANGED+5:${NOON + MINUTE}:1`, 6]]);
    const existing = sent(first);
    expect(plan({ ...again, existing, now: NOON + MINUTE }).inserts).toMatchObject([{ state: "planned" }]);
    const soon = { ...again, occurrences: [changedAt(NOON + MINUTE - 1)] };
    expect(plan({ ...soon, existing, now: NOON + MINUTE }).inserts).toMatchObject([{ state: "skipped" }]);
  });

  test("has a post at each change that comes a minute or more after the last one", () => {
    const atChanges = [sampleAnnouncement({ offsets: [offset("CHANGED", 0)] })];
    const changedAt = (at: number) => [sampleOccurrence({ scheduledAt: at, rescheduledAt: at })];
    const existing = sent(planned({ announcements: atChanges, occurrences: changedAt(NOON) }));
    const again = { announcements: atChanges, existing, now: NOON + 2 * MINUTE };
    expect(plan({ ...again, occurrences: changedAt(NOON + MINUTE) }).inserts).toMatchObject([{ state: "planned" }]);
  });

  test("keeps the post of an occurrence that was not read", () => {
    const existing = planned({ announcements, occurrences: [ahead] });
    const read = [{ from: NOON, until: NOON + 30 * MINUTE }];
    const windows = { START: read, END: read, CREATED: read, CHANGED: read };
    expect(plan({ announcements, existing, occurrences: [], windows })).toEqual({
      inserts: [],
      updates: [],
      removes: [],
    });
  });

  test("orders posts that are due at the same instant, so that a bounded plan continues where it ended", () => {
    const atOnce = [offset("END", 0), offset("START", 60)];
    const input = { announcements: [sampleAnnouncement({ offsets: atOnce })], occurrences: [ahead], maxOpenPosts: 1 };
    const { end, inserts } = planPosts(samplePlanInput(input));
    expect(due(inserts)).toEqual([[`a1:e1:${NOON + HOUR}:log:END+0:${NOON + 2 * HOUR}:1`, 120]]);
    expect(end).toMatchObject({ at: NOON + 2 * HOUR, offset: "START+60" });
    const other = sampleAnnouncement({ id: "a2" as AnnouncementId, offsets: atOnce });
    expect(planned({ ...input, announcements: [...input.announcements, other], maxOpenPosts: 9 })).toHaveLength(4);
  });
});
