import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { type CalendarUnderTest, DAY, HOUR, noon, startCalendar } from "../../test/harness/calendar-under-test.ts";
import type { OffsetAnchor } from "../contracts/announcement-offsets.ts";
import type { GuildId } from "../contracts/ids.ts";
import { listOccurrencesStarting, type OccurrencesStartingParams } from "../contracts/occurrences.contract.ts";

describe("occurrences by their anchors (D54)", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar();
  });
  afterAll(() => calendar.services.stop());

  function read(guildId: GuildId, anchor: OffsetAnchor, from: number, until: number, more = {}) {
    const params: OccurrencesStartingParams = { guildId, windows: [{ from, until }], anchor, limit: 100, ...more };
    return calendar.services.call(listOccurrencesStarting, params);
  }

  test("a read by ends has every event that ends in the window, however long it is, in the order of the ends", async () => {
    const guildId = calendar.newGuild();
    const times = (startsAt: number, endsAt: number) => ({ startsAt: noon + startsAt, endsAt: noon + endsAt });
    const daily = { recurs: true, recurrence: { frequency: "DAILY" } } as const;
    const { eventId: long } = await calendar.create(guildId, times(-900 * DAY, 2 * HOUR));
    const { eventId: atFirst } = await calendar.create(guildId, times(-HOUR, 0));
    const { eventId: short } = await calendar.create(guildId, times(0, HOUR));
    const { eventId: instant } = await calendar.create(guildId, times(3 * HOUR, 3 * HOUR));
    await calendar.create(guildId, times(0, DAY));
    await calendar.create(guildId, times(-HOUR, -1));
    const { eventId: series } = await calendar.create(guildId, { ...times(-DAY, -DAY + 4 * HOUR), ...daily });
    const days = { allDay: true, startDate: "2024-05-01", endDate: "2024-05-07" } as const;
    const { eventId: allDay } = await calendar.create(guildId, {
      ...days,
      startsAt: undefined,
      endsAt: undefined,
    } as never);
    const { occurrences } = await read(guildId, "END", noon, noon + DAY);
    expect(occurrences.map(({ occurrenceId }) => occurrenceId as string)).toEqual([
      atFirst,
      short,
      long,
      instant,
      `${series}_20240506T120000Z`,
      allDay,
    ]);
    const moved = `${series}_20240508T120000Z`;
    const since = Math.max(...occurrences.map(({ scheduledAt }) => scheduledAt)) + 1;
    await calendar.update(guildId, moved, { ...times(-DAY, 5 * HOUR) });
    await calendar.update(guildId, short, { endsAt: noon + 6 * HOUR });
    const changed = await read(guildId, "END", noon, noon + DAY, { changedSince: since });
    expect(changed.occurrences.map(({ occurrenceId }) => occurrenceId as string)).toEqual([moved, short]);
    expect(changed.occurrences[1]?.endSetAt).toBeGreaterThan(changed.occurrences[1]?.scheduledAt ?? Infinity);
    await expect(read(guildId, "END", noon, noon + DAY, { limit: 2 })).resolves.toMatchObject({
      occurrences: [{ occurrenceId: atFirst }, { occurrenceId: long }],
      truncated: true,
    });
  });

  test("a read by creations has each event once, with the first occurrence of a series, also after changes", async () => {
    const guildId = calendar.newGuild();
    const { eventId: single } = await calendar.create(guildId);
    const daily = { recurs: true, recurrence: { frequency: "DAILY", count: 5 } } as const;
    const { eventId: series } = await calendar.create(guildId, daily);
    const { eventId: cancelled } = await calendar.create(guildId, daily);
    const { eventId: removed } = await calendar.create(guildId);
    const created = async (more = {}) =>
      (await read(guildId, "CREATED", Date.now() - HOUR, Date.now() + HOUR, more)).occurrences;
    const first = `${series}_20240506T120000Z`;
    const before = await created();
    const ids = [single, first, `${cancelled}_20240506T120000Z`, removed];
    expect(before.map(({ occurrenceId }) => occurrenceId as string)).toEqual(ids);
    const at = before[0]?.createdAt ?? 0;
    await calendar.update(guildId, single, { startsAt: noon + 9 * DAY, endsAt: noon + 10 * DAY, name: "moved" });
    await calendar.update(guildId, first, { name: "changed" });
    await calendar.remove(guildId, `${cancelled}_20240506T120000Z`);
    await calendar.remove(guildId, removed);
    await calendar.update(guildId, `${series}_20240508T120000Z`, { scope: "following", name: "split" } as never);
    expect(await created()).toMatchObject([
      { occurrenceId: single, createdAt: at, startsAt: noon + 9 * DAY },
      { occurrenceId: first, name: "changed" },
    ]);
    await expect(read(guildId, "CREATED", at + DAY, at + 2 * DAY)).resolves.toMatchObject({ occurrences: [] });
    const { former = [] } = await read(guildId, "CREATED", Date.now() - HOUR, Date.now() + HOUR, { formerAfter: 0 });
    expect(former.map(({ occurrenceId }) => occurrenceId as string)).toEqual(
      expect.arrayContaining([removed, `${cancelled}_20240506T120000Z`]),
    );
    expect(former.every(({ createdAt }) => createdAt !== undefined)).toBe(true);
  });

  /** Lets the events of a guild be created an hour ago: a change within a minute after the creation is a part of it (D69). */
  async function makeOld(guildId: GuildId): Promise<void> {
    const database = await mongoose.createConnection(calendar.services.mongoUrl).asPromise();
    const at = new Date(Date.now() - HOUR);
    const stamps = { createdAt: at, scheduledAt: at };
    await database
      .collection("calendar_events")
      .updateMany({ guildId, createdAt: { $exists: true } }, { $set: stamps, $unset: { endSetAt: 1 } });
    await database.close();
  }

  test("a read by changes has the events with other times, and of a series the moved and the next occurrence", async () => {
    const guildId = calendar.newGuild();
    const start = Date.now() + DAY - (Date.now() % DAY);
    const times = (days: number) => ({ startsAt: start + days * DAY, endsAt: start + days * DAY + HOUR });
    const daily = { recurs: true, recurrence: { frequency: "DAILY", count: 9 } } as const;
    const { eventId: moved } = await calendar.create(guildId, times(0));
    const { eventId: longer } = await calendar.create(guildId, times(1));
    const { eventId: renamed } = await calendar.create(guildId, times(2));
    const { eventId: removed } = await calendar.create(guildId, times(2));
    const { eventId: series } = await calendar.create(guildId, { ...times(-3), ...daily });
    const { eventId: single } = await calendar.create(guildId, { ...times(-3), ...daily });
    const idOf = (id: string, days: number) =>
      `${id}_${new Date(start + days * DAY).toISOString().replaceAll(/[-:]|\.000/g, "")}`;
    const changed = async (more = {}) => read(guildId, "CHANGED", Date.now() - HOUR, Date.now() + HOUR, more);
    await calendar.update(guildId, moved, times(5));
    await expect(changed()).resolves.toMatchObject({ occurrences: [] });
    await makeOld(guildId);
    await calendar.update(guildId, moved, times(4));
    await calendar.update(guildId, longer, { endsAt: start + 2 * DAY });
    await calendar.update(guildId, renamed, { name: "renamed" });
    await calendar.update(guildId, removed, times(6));
    await calendar.remove(guildId, removed);
    await calendar.update(guildId, series, { recurs: true, recurrence: { frequency: "DAILY", count: 12 } });
    await calendar.update(guildId, idOf(single, 1), { startsAt: start + DAY + HOUR, endsAt: start + DAY + 2 * HOUR });
    const { occurrences } = await changed();
    expect(occurrences.map(({ occurrenceId }) => occurrenceId as string)).toEqual([
      moved,
      longer,
      idOf(series, 0),
      idOf(single, 1),
    ]);
    expect(
      occurrences.map(
        ({ rescheduledAt = 0, scheduledAt, endSetAt = 0 }) => rescheduledAt - Math.max(scheduledAt, endSetAt),
      ),
    ).toEqual([0, 0, 0, 0]);
    const all = await calendar.starting(guildId, start - 4 * DAY, start + 20 * DAY);
    const withChange = all.filter((each) => each.rescheduledAt !== undefined).map(({ occurrenceId }) => occurrenceId);
    expect(new Set(withChange)).toEqual(new Set(occurrences.map(({ occurrenceId }) => occurrenceId)));
    const last = occurrences[3]?.rescheduledAt ?? 0;
    await expect(read(guildId, "CHANGED", last, last + 1)).resolves.toMatchObject({ occurrences: [occurrences[3]] });
    const { former = [] } = await changed({ formerAfter: Date.now() - HOUR });
    expect(former.map(({ occurrenceId }) => occurrenceId as string)).toEqual([removed]);
    await calendar.update(guildId, idOf(single, 3), {
      scope: "following",
      startsAt: start + 3 * DAY + HOUR,
      endsAt: start + 3 * DAY + 2 * HOUR,
    } as never);
    const { occurrences: after } = await changed();
    expect(after.at(-1)).toMatchObject({ startsAt: start + 3 * DAY + HOUR, follows: [single] });
    expect(after).toHaveLength(5);
  });
});
