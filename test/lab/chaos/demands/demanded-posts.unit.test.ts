import { describe, expect, test } from "@jest/globals";
import { demandedPosts } from "./demanded-posts.ts";
import { announcement, AT, event, MINUTE, SECOND } from "./sample-run.ts";
import type { EventVersion, GuildRecords, Outage, PauseWrite, RecordedEvent } from "./records.ts";

const EARLY = announcement("1", { offsets: [{ anchor: "START", minutes: -1 }] });
const CREATION = announcement("1", { offsets: [{ anchor: "CREATED", minutes: 1 }] });
const RAID = event("raid", 5, MINUTE);
const [CREATED] = RAID.versions as [EventVersion];
const DUE_AT = AT + 4 * MINUTE;

/** A write that takes ten milliseconds. */
const written = (at: number) => ({ sentAt: at, ackedAt: at + 10 });
const paused = (at: number, until: number | null): PauseWrite => ({ ...written(at), until });

function movedTo(minutes: number, at: number): EventVersion {
  const { startsAt, endsAt } = event("raid", minutes, MINUTE).versions[0]!.state!;
  return { ...written(at), state: { ...CREATED.state!, startsAt, endsAt, scheduledAt: at + 5 } };
}

function guildOf(rule: typeof EARLY, changes: Partial<RecordedEvent>, guildPauses: PauseWrite[] = []): GuildRecords {
  const pauses = { guild: guildPauses, calendar: [] };
  return { guildId: "1", announcements: [rule], events: [{ ...RAID, ...changes }], pauses, removed: new Set() };
}

function demandsOf(
  rule: typeof EARLY,
  changes: Partial<RecordedEvent>,
  { outages = [], guildPauses = [] }: { outages?: Outage[]; guildPauses?: PauseWrite[] } = {},
) {
  return demandedPosts(guildOf(rule, changes, guildPauses), outages).map(({ dueAt, isDemanded, isPaused }) => [
    (dueAt - AT) / SECOND,
    isDemanded,
    isPaused,
  ]);
}

describe("the posts that a guild demands", () => {
  test("are due by the state that the database has stamped", () => {
    expect(demandsOf(EARLY, {})).toEqual([[240, "yes", "no"]]);
    const atOnce = { ...CREATED, state: { ...CREATED.state!, scheduledAt: DUE_AT + SECOND, createdAt: DUE_AT } };
    expect(demandsOf(EARLY, { versions: [atOnce] })).toEqual([[241, "yes", "no"]]);
  });

  test("move with the event, and may be sent if the event moves near their due instant", () => {
    const moved = (at: number) => demandsOf(EARLY, { versions: [CREATED, movedTo(8, at)] });
    expect(moved(AT + MINUTE)).toEqual([[420, "yes", "no"]]);
    expect(moved(DUE_AT - SECOND)).toEqual([
      [240, "maybe", "no"],
      [420, "yes", "no"],
    ]);
    expect(moved(DUE_AT + SECOND)).toEqual([
      [240, "yes", "no"],
      [420, "yes", "no"],
    ]);
  });

  test("are one for a creation, whatever the times of the event", () => {
    expect(demandsOf(CREATION, { versions: [CREATED, movedTo(8, AT + SECOND), movedTo(9, AT + 2 * MINUTE)] })).toEqual([
      [60, "yes", "no"],
    ]);
  });

  test("are one for each change, by the write that made it; near the next change they may be sent", () => {
    const change = announcement("1", { offsets: [0, 1].map((minutes) => ({ anchor: "CHANGED", minutes }) as const) });
    const changed = (minutes: number, at: number) => {
      const { state, ...times } = movedTo(minutes, at);
      return { ...times, state: { ...state!, rescheduledAt: at + 5 } };
    };
    const versions = (second: number) => [CREATED, changed(30, AT + MINUTE), changed(40, second)];
    const demanded = (second: number) =>
      demandedPosts(guildOf(change, { versions: versions(second) }), []).map(({ offset, dueAt, isDemanded }) => [
        offset?.minutes,
        dueAt - AT - 5,
        isDemanded,
      ]);
    expect(demanded(AT + 3 * MINUTE)).toEqual([
      [0, MINUTE, "yes"],
      [0, 3 * MINUTE, "yes"],
      [1, 2 * MINUTE, "yes"],
      [1, 4 * MINUTE, "yes"],
    ]);
    expect(demanded(AT + 2 * MINUTE)).toEqual([
      [0, MINUTE, "yes"],
      [0, 2 * MINUTE, "yes"],
      [1, 2 * MINUTE, "maybe"],
      [1, 3 * MINUTE, "yes"],
    ]);
    expect(demandsOf(change, {})).toEqual([]);
    expect(demandsOf({ ...change, eventId: "another" }, { versions: versions(AT + 3 * MINUTE) })).toEqual([]);
  });

  test("are none for an event that is deleted, and return when it is restored", () => {
    const deleted = { ...written(AT + MINUTE), state: null };
    expect(demandsOf(EARLY, { versions: [CREATED, deleted] })).toEqual([]);
    const restored = (at: number) => ({ ...written(at), state: CREATED.state });
    const restoredAt = (at: number) => demandsOf(EARLY, { versions: [CREATED, deleted, restored(at)] });
    expect(restoredAt(AT + 2 * MINUTE)).toEqual([[240, "yes", "no"]]);
    expect(restoredAt(DUE_AT + SECOND)).toEqual([[240, "maybe", "no"]]);
  });

  test.each<[string, PauseWrite[], string]>([
    ["are paused during a pause", [paused(AT, AT + 10 * MINUTE)], "yes"],
    ["are not paused at the end of a pause", [paused(AT, DUE_AT)], "no"],
    ["are paused if the pause is ended later", [paused(AT, AT + 10 * MINUTE), paused(DUE_AT + SECOND, null)], "yes"],
    ["are not paused if it was ended before", [paused(AT, AT + 10 * MINUTE), paused(DUE_AT - 2 * SECOND, null)], "no"],
    [
      "may be paused if it was ended right before",
      [paused(AT, AT + 10 * MINUTE), paused(DUE_AT - SECOND, null)],
      "maybe",
    ],
    ["may be paused if it begins right before", [paused(DUE_AT - SECOND, AT + 10 * MINUTE)], "maybe"],
  ])("%s", (_name, pauses, isPaused) => {
    expect(demandsOf(EARLY, { pauses })).toEqual([[240, "yes", isPaused]]);
    expect(demandsOf(EARLY, {}, { guildPauses: pauses })).toEqual([[240, "yes", isPaused]]);
  });

  test("have the instants from which a post that still waits is given up or skipped", () => {
    const versions = [CREATED, movedTo(8, DUE_AT + SECOND)];
    const pauses = [paused(DUE_AT + MINUTE, AT + 10 * MINUTE), paused(DUE_AT + 2 * MINUTE, AT + 10 * MINUTE)];
    const guild = guildOf(EARLY, { versions, pauses });
    const [post] = demandedPosts(guild, []);
    expect(post).toMatchObject({ isPaused: "no", changedAt: DUE_AT + SECOND, pausedLaterAt: DUE_AT + MINUTE });
  });

  test("may ignore a pause while the services are not reachable, and until shortly after", () => {
    const pauses = [paused(DUE_AT - 20 * SECOND, AT + 10 * MINUTE)];
    const during = (until: number) =>
      demandsOf(EARLY, { pauses }, { outages: [{ from: DUE_AT - 15 * SECOND, until }] })[0]?.[2];
    expect([during(Infinity), during(DUE_AT - SECOND), during(DUE_AT - 6 * SECOND)]).toEqual(["maybe", "maybe", "yes"]);
  });
});
