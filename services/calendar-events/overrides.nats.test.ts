import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { type CalendarUnderTest, DAY, HOUR, noon, startCalendar } from "../../test/harness/calendar-under-test.ts";
import { calendarEventsChangesSince } from "../contracts/calendar-events.contract.ts";
import { getOccurrence, listOccurrencesStarting } from "../contracts/occurrences.contract.ts";
import type { EventId, GuildId, OccurrenceId } from "../contracts/ids.ts";

describe("single occurrences of a series (D19)", () => {
  let calendar: CalendarUnderTest;
  let stored: Connection;
  beforeAll(async () => {
    calendar = await startCalendar();
    stored = await mongoose.createConnection(calendar.services.mongoUrl).asPromise();
  });
  afterAll(async () => {
    await stored.close();
    await calendar.services.stop();
  });

  /** A daily series of five occurrences from noon, with the id of its second occurrence. */
  async function newSeries(): Promise<{ guildId: GuildId; series: EventId; second: OccurrenceId }> {
    const guildId = calendar.newGuild();
    const recurrence = { frequency: "DAILY", count: 5 } as const;
    const { eventId } = await calendar.create(guildId, { recurs: true, recurrence, name: "n", description: "d" });
    return { guildId, series: eventId, second: `${eventId}_20240507T120000Z` as OccurrenceId };
  }
  const look = (guildId: GuildId, occurrenceId: OccurrenceId) =>
    calendar.services.call(getOccurrence, { guildId, occurrenceId });
  const whole = (guildId: GuildId) => calendar.list(guildId, noon - 99 * DAY, noon + 99 * DAY);

  test("a changed occurrence is seen by get, lists and dispatch, and the other occurrences stay the same", async () => {
    const { guildId, second } = await newSeries();
    const before = await whole(guildId);
    await calendar.update(guildId, second, { name: "own", description: null, color: "RED" });
    const changed = { ...before[1], name: "own", color: "RED" };
    delete (changed as { description?: string }).description;
    const after = await whole(guildId);
    expect(after).toEqual(before.map((event, at) => (at === 1 ? changed : event)));
    await expect(calendar.get(guildId, second)).resolves.toEqual({ ...changed, revision: "2.0" });
    await expect(look(guildId, second)).resolves.toMatchObject({ name: "own", color: "RED", startsAt: noon + DAY });
    const starting = await calendar.starting(guildId, noon, noon + 9 * DAY);
    expect(starting.map(({ color }) => color)).toEqual(["NONE", "RED", "NONE", "NONE", "NONE"]);
  });

  test("a moved occurrence is found at its new time, under its id, and not at its old time", async () => {
    const { guildId, second } = await newSeries();
    const to = noon + 40 * DAY;
    await calendar.update(guildId, second, { startsAt: to, endsAt: to + 2 * HOUR });
    await expect(calendar.list(guildId, noon + DAY, noon + 2 * DAY)).resolves.toEqual([]);
    const moved = { eventId: second, startsAt: to, endsAt: to + 2 * HOUR, isParent: false, recurs: true };
    await expect(calendar.list(guildId, to + HOUR, to + DAY)).resolves.toMatchObject([moved]);
    await expect(calendar.get(guildId, second)).resolves.toMatchObject(moved);
    await expect(calendar.starting(guildId, noon + DAY, noon + 2 * DAY)).resolves.toEqual([]);
    await expect(calendar.starting(guildId, to, to + 1)).resolves.toMatchObject([{ occurrenceId: second }]);
    await expect(calendar.starting(guildId, to + 1, to + HOUR)).resolves.toEqual([]);
    const all = await whole(guildId);
    expect(all.map(({ eventId }) => eventId).indexOf(second)).toBe(4);
  });

  describe("before its series is removed or changed", () => {
    const first = Math.floor(Date.now() / DAY) * DAY;
    const idOf = (series: EventId, day: number) =>
      `${series}_${new Date(first + day * DAY).toISOString().replaceAll(/[-:]|\.\d+/g, "")}` as OccurrenceId;

    /** A daily series with an occurrence that was cancelled, one that was moved by an hour, and a red one. */
    async function changedSeries() {
      const guildId = calendar.newGuild();
      const recurrence = { frequency: "DAILY", count: 5 } as const;
      const times = { startsAt: first, endsAt: first + HOUR };
      const { eventId } = await calendar.create(guildId, { recurs: true, recurrence, ...times });
      await calendar.remove(guildId, idOf(eventId, 1));
      await calendar.update(guildId, idOf(eventId, 2), {
        startsAt: first + 2 * DAY + HOUR,
        endsAt: first + 2 * DAY + 2 * HOUR,
      });
      await calendar.update(guildId, idOf(eventId, 3), { color: "RED" });
      return { guildId, series: eventId };
    }

    /** Former occurrences, without those of single occurrences before their own changes. */
    async function formerStates(guildId: GuildId) {
      const windows = [{ from: first, until: first + 9 * DAY }];
      const read = { guildId, windows, limit: 1_000, formerAfter: 0 };
      const { former = [] } = await calendar.services.call(listOccurrencesStarting, read);
      const lastChange = Math.max(...former.map(({ until = 0 }) => until));
      const states = former.filter(({ until }) => until === lastChange);
      return states.map(({ startsAt, color }) => [(startsAt - first) / HOUR, color]).toSorted(compareStarts);
    }
    const compareStarts = (one: unknown[], other: unknown[]) => Number(one[0]) - Number(other[0]);
    const before = [
      [0, "NONE"],
      [49, "NONE"],
      [72, "RED"],
      [96, "NONE"],
    ];

    test.each<[string, (guildId: GuildId, series: EventId) => Promise<unknown>]>([
      ["removed", (guildId, series) => calendar.remove(guildId, series)],
      ["recolored", (guildId, series) => calendar.update(guildId, series, { color: "BLUE" })],
      ["moved", (guildId, series) => calendar.update(guildId, series, { startsAt: first - 1, endsAt: first + HOUR })],
    ])("its state is given to dispatch, if the series is %s", async (_, change) => {
      const { guildId, series } = await changedSeries();
      await change(guildId, series);
      await expect(formerStates(guildId)).resolves.toEqual(before);
    });
  });

  test("a cancelled occurrence is removed everywhere, and the series continues", async () => {
    const { guildId, series, second } = await newSeries();
    await calendar.remove(guildId, second);
    await expect(whole(guildId)).resolves.toHaveLength(4);
    await expect(look(guildId, second)).resolves.toBeNull();
    await expect(calendar.starting(guildId, noon, noon + 9 * DAY)).resolves.toHaveLength(4);
    const notFound = { type: "EVENT_NOT_FOUND" };
    await expect(calendar.get(guildId, second)).rejects.toMatchObject(notFound);
    await expect(calendar.update(guildId, second, { name: "x" })).rejects.toMatchObject(notFound);
    await expect(calendar.remove(guildId, second)).rejects.toMatchObject(notFound);
    await expect(calendar.get(guildId, series)).resolves.toMatchObject({ isParent: true, startsAt: noon });
  });

  test("a moved occurrence that is cancelled is removed from its new time", async () => {
    const { guildId, second } = await newSeries();
    await calendar.update(guildId, second, { startsAt: noon + 40 * DAY, endsAt: noon + 40 * DAY });
    await calendar.remove(guildId, second);
    await expect(whole(guildId)).resolves.toHaveLength(4);
  });

  test("an update of one occurrence cannot change the rule", async () => {
    const { guildId, second } = await newSeries();
    const rule = { recurs: true, recurrence: { frequency: "DAILY" } } as const;
    await expect(calendar.update(guildId, second, rule)).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      data: { problems: [{ field: "recurs" }, { field: "recurrence" }] },
    });
  });

  test("a time that is given alone is checked against the other time of the occurrence (D13)", async () => {
    const { guildId, second } = await newSeries();
    const update = calendar.update(guildId, second, { endsAt: noon + DAY - 1 });
    await expect(update).rejects.toMatchObject({ data: { problems: [{ field: "endsAt" }] } });
    await calendar.update(guildId, second, { startsAt: noon + DAY + HOUR });
    const { endsAt, startsAt } = await calendar.get(guildId, second);
    expect([startsAt, endsAt]).toEqual([noon + DAY + HOUR, noon + DAY + HOUR]);
  });

  test("a change of the series applies to occurrences without an own value of that field", async () => {
    const { guildId, series, second } = await newSeries();
    await calendar.update(guildId, second, { name: "own" });
    await calendar.update(guildId, series, { name: "new", location: "l", color: "BLUE", endsAt: noon + 3 * HOUR });
    await expect(calendar.get(guildId, second)).resolves.toMatchObject({
      name: "own",
      location: "l",
      color: "BLUE",
      endsAt: noon + DAY + 3 * HOUR,
    });
  });

  test("a new rule drops the overrides whose start is no longer in the series, for good, and keeps the others", async () => {
    const { guildId, series, second } = await newSeries();
    const third = `${series}_20240508T120000Z`;
    await calendar.update(guildId, second, { name: "second" });
    await calendar.update(guildId, third, { name: "third" });
    await calendar.update(guildId, series, everyDays(2));
    await expect(calendar.get(guildId, second)).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    await expect(calendar.get(guildId, third)).resolves.toMatchObject({ name: "third" });
    await calendar.update(guildId, series, everyDays(1));
    await expect(calendar.get(guildId, second)).resolves.toMatchObject({ name: "n" });
    await expect(calendar.get(guildId, third)).resolves.toMatchObject({ name: "third" });
  });

  test("a moved series, an ended recurrence and a removed series drop all overrides", async () => {
    for (const change of ["move", "end", "remove"] as const) {
      const { guildId, series, second } = await newSeries();
      await calendar.update(guildId, second, { startsAt: noon + 50 * DAY, endsAt: noon + 50 * DAY });
      if (change === "move") await calendar.update(guildId, series, { startsAt: noon + 1 });
      if (change === "end") await calendar.update(guildId, series, { recurs: false });
      if (change === "remove") await calendar.remove(guildId, series);
      await expect(calendar.list(guildId, noon + 49 * DAY, noon + 51 * DAY)).resolves.toEqual([]);
      await expect(whole(guildId)).resolves.toHaveLength({ move: 5, end: 1, remove: 0 }[change]);
      await expect(stored.collection("calendar_events").countDocuments({ eventId: series })).resolves.toBe(0);
    }
  });

  test("a changed occurrence has the times since which it has its own start and color (D31)", async () => {
    const { guildId, series, second } = await newSeries();
    const first = await look(guildId, `${series}_20240506T120000Z` as OccurrenceId);
    const see = async () => {
      const { scheduledAt = 0, coloredAt = 0 } = (await look(guildId, second)) ?? {};
      const { scheduledAt: scheduled = 0, coloredAt: colored = 0 } = first ?? {};
      return [Math.sign(scheduledAt - scheduled), Math.sign(coloredAt - colored)];
    };
    await calendar.update(guildId, second, { name: "x" });
    await expect(see()).resolves.toEqual([0, 0]);
    await calendar.update(guildId, second, { color: "RED" });
    await expect(see()).resolves.toEqual([0, 1]);
    await calendar.update(guildId, second, { startsAt: noon + DAY + 1 });
    await expect(see()).resolves.toEqual([1, 1]);
    expect(await look(guildId, `${series}_20240506T120000Z` as OccurrenceId)).toEqual(first);
  });

  test("a change of one occurrence is a write of its series, with a revision, in the change feed, and ordered with concurrent writes", async () => {
    const { guildId, series, second } = await newSeries();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, at) => calendar.update(guildId, at % 2 === 0 ? series : second, { name: `${at}` })),
    );
    const count = outcomes.filter(({ status }) => status === "fulfilled").length;
    const { changes } = await calendar.services.call(calendarEventsChangesSince, {
      mark: { at: 0, id: "" },
      limit: 1000,
    });
    expect(changes.filter(({ id }) => id.startsWith(series))).toMatchObject([{ id: series, revision: count + 1 }]);
  });
});

function everyDays(interval: number) {
  return { recurs: true, recurrence: { frequency: "DAILY", interval } } as const;
}
