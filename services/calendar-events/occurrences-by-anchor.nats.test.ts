import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
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
});
