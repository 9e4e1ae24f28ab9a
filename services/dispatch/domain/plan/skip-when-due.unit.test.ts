import { describe, expect, test } from "@jest/globals";
import { HOUR, NOON, sampleAnnouncement, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";
import { onePlanned, plan, planned } from "../../../../test/fixtures/plan-samples.ts";
import { requiresPost } from "./current-state.ts";
import { skippedWhenDue } from "./skip-when-due.ts";

const DUE = NOON + HOUR;
const occurrence = sampleOccurrence({ startsAt: DUE });
const announcement = sampleAnnouncement();
const running = { settings: {}, announcement: {}, occurrence: {} };

describe("a paused post (D62)", () => {
  test.each([
    ["guild", { settings: { pausedUntil: DUE + 1 } }],
    ["calendar", { occurrence: { calendarPausedUntil: DUE + 1 } }],
    ["event", { occurrence: { eventPausedUntil: DUE + 1 } }],
    ["announcement", { announcement: { pausedUntil: DUE + 1 } }],
    ["announcement", { announcement: { pauseEndedAt: DUE + 1 } }],
    ["guild", { settings: { pausedUntil: DUE - 1, pauseEndedAt: DUE + 1 } }],
  ])("is skipped by the pause of its %s: %j", (of, pauses) => {
    const until = new Date(DUE + 1).toISOString();
    expect(skippedWhenDue(DUE, { ...running, ...pauses })).toBe(`paused until ${until} (${of})`);
  });

  test("that is due at the end of every pause is posted", () => {
    const paused = {
      settings: { pausedUntil: DUE, pauseEndedAt: DUE },
      announcement: { pausedUntil: DUE },
      occurrence: { eventPausedUntil: DUE, calendarPausedUntil: DUE },
    };
    expect(skippedWhenDue(DUE, paused)).toBeUndefined();
    expect(skippedWhenDue(DUE, running)).toBeUndefined();
  });

  test("names the pause that ends last, without milliseconds if there are none", () => {
    const paused = {
      settings: { pausedUntil: DUE + 1_000 },
      announcement: { pausedUntil: Date.UTC(2026, 11, 24) },
      occurrence: { eventPausedUntil: DUE + 2_000 },
    };
    expect(skippedWhenDue(DUE, paused)).toBe("paused until 2026-12-24T00:00:00Z (announcement)");
  });

  test("is not required by the current state, although this matches the plan", () => {
    const post = onePlanned();
    const settings = { guildId: "1" } as never;
    expect(requiresPost(post, { announcement, occurrence, settings }, 900_000)).toBe(true);
    const paused = { announcement: { ...announcement, pausedUntil: post.dueAt + 1 }, occurrence, settings };
    expect(requiresPost(post, paused, 900_000)).toBe(false);
  });
});

describe("a post of an occurrence on a holiday (D66)", () => {
  const holidays = [{ calendarNumber: 2, name: "Christmas Day" }, { calendarNumber: 3 }];
  const onHoliday = { ...running, occurrence: { holidays } };

  test.each([
    [2, "holiday: Christmas Day"],
    [3, "holiday: an event without a name"],
    [4, undefined],
    [undefined, undefined],
  ])("is skipped if its announcement skips on calendar %s: %s", (skipOn, reason) => {
    const input = { ...onHoliday, announcement: skipOn === undefined ? {} : { skipOn } };
    expect(skippedWhenDue(DUE, input)).toBe(reason);
  });

  test("has the reason of a pause if it is paused, too", () => {
    const paused = { ...onHoliday, announcement: { skipOn: 2, pausedUntil: DUE + 1 } };
    expect(skippedWhenDue(DUE, paused)).toMatch(/^paused until/);
  });

  test("is planned with the reason, is not required by the current state, and is not planned again when it was due", () => {
    const state = { announcements: [{ ...announcement, skipOn: 2 }], occurrences: [{ ...occurrence, holidays }] };
    const skipReason = "holiday: Christmas Day";
    const [post] = planned(state);
    expect(post).toMatchObject({ state: "planned", skipReason });
    const current = { announcement: state.announcements[0]!, settings: { guildId: "1" } as never };
    expect(requiresPost(post!, { ...current, occurrence: state.occurrences[0]! }, 900_000)).toBe(false);
    expect(requiresPost(post!, { ...current, occurrence }, 900_000)).toBe(true);
    const skipped = { ...post!, state: "skipped", reason: skipReason, settledAt: DUE } as const;
    expect(plan({ ...state, now: DUE + 1, existing: [skipped] }).inserts).toEqual([]);
    expect(plan({ announcements: state.announcements, now: DUE + 1, existing: [skipped] }).inserts).toEqual([]);
  });
});

describe("a plan during a pause (D62)", () => {
  const guildPause = { pausedUntil: DUE + 1 };
  const skipReason = `paused until ${new Date(DUE + 1).toISOString()} (guild)`;

  test("has the posts with the reason for which they will be skipped", () => {
    expect(plan({ guildPause }).inserts).toMatchObject([{ state: "planned", dueAt: DUE, skipReason }]);
    expect(plan({ guildPause: { pausedUntil: DUE } }).inserts[0]).not.toHaveProperty("skipReason");
  });

  test("changes nothing of the planned posts but the reason, and nothing if it is the same", () => {
    const [before] = planned({});
    const [paused] = planned({ existing: [before!], guildPause });
    expect(paused).toEqual({ ...before, skipReason, planRevision: before!.planRevision + 1 });
    expect(plan({ existing: [paused!], guildPause })).toEqual({ inserts: [], updates: [], removes: [] });
    const [resumed] = planned({ existing: [paused!] });
    expect(resumed).toEqual({ ...before, planRevision: before!.planRevision + 2 });
  });

  test("does not plan a post again that was skipped by a pause when it was due", () => {
    const reason = `paused until ${new Date(DUE + 1).toISOString()} (guild)`;
    const skipped = { ...onePlanned(), state: "skipped", reason, settledAt: DUE } as const;
    for (const pause of [{}, guildPause]) {
      expect(plan({ now: DUE + 1, existing: [skipped], guildPause: pause }).inserts).toEqual([]);
    }
  });

  test("does not plan a post again that was skipped by a clock which was set back before its due instant", () => {
    const skipped = { ...onePlanned(), state: "skipped", reason: "paused until x", settledAt: DUE - 1_000 } as const;
    expect(plan({ now: DUE + 1, existing: [skipped], guildPause }).inserts).toEqual([]);
  });

  test("plans a post again that was skipped by a pause and moved to a later due instant", () => {
    const skipped = { ...onePlanned(), state: "skipped", reason: "paused until x", settledAt: DUE } as const;
    const moved = sampleOccurrence({ startsAt: DUE, scheduledAt: DUE - 1 });
    const earlier = { ...skipped, dueAt: DUE - HOUR, settledAt: DUE - HOUR };
    expect(plan({ existing: [earlier], occurrences: [moved] }).inserts).toMatchObject([{ round: 2, dueAt: DUE }]);
  });
});
