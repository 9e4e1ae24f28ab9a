import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type CalendarUnderTest, DAY, HOUR, noon, startCalendar } from "../../../test/harness/calendar-under-test.ts";
import { FREQUENCIES, type RecurrenceInput } from "../../contracts/recurrence.ts";
import { LAST_EPOCH_MS } from "../../contracts/ids.ts";

const YEAR = 365 * DAY;

describe("rules that are expensive to expand", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar();
  });
  afterAll(() => calendar.services.stop());

  test.each<[string, number, RecurrenceInput]>([
    ["lasts 7000 years, daily", 7000 * YEAR, { frequency: "DAILY" }],
    ["lasts a year, daily, with the highest count", YEAR, { frequency: "DAILY", count: 10_000 }],
    ["comes on 29 February every 1000 years", HOUR, { frequency: "YEARLY", interval: 1000, count: 10_000 }],
    ["comes every 1000 months", HOUR, { frequency: "MONTHLY", interval: 1000, count: 10_000 }],
    ["comes every 1000 weeks", HOUR, { frequency: "WEEKLY", interval: 1000 }],
  ])(
    "a series that %s is listed at both ends of time, or refused for its number of entries",
    async (_, length, recurrence) => {
      const guildId = calendar.newGuild();
      const startsAt = Date.UTC(1972, 1, 29);
      await calendar.create(guildId, { startsAt, endsAt: startsAt + length, recurs: true, recurrence });
      for (const from of [0, startsAt, noon, LAST_EPOCH_MS - 31 * DAY]) {
        const outcome = await calendar.list(guildId, from, from + 31 * DAY).catch((error: unknown) => error);
        expect(Array.isArray(outcome) || (outcome as { type: string }).type === "TOO_MANY_ENTRIES").toBe(true);
      }
      await expect(calendar.starting(guildId, startsAt, startsAt + 1)).resolves.toHaveLength(1);
    },
  );

  test("a window may span all of time", async () => {
    const guildId = calendar.newGuild();
    const recurrence = { frequency: "YEARLY" } as const;
    await calendar.create(guildId, { recurs: true, recurrence });
    await expect(calendar.list(guildId, 0, LAST_EPOCH_MS + 1)).resolves.toHaveLength(9999 - 2024 + 1);
    await calendar.create(guildId, { recurs: true, recurrence: { frequency: "DAILY" } });
    await expect(calendar.list(guildId, 0, LAST_EPOCH_MS + 1)).rejects.toMatchObject({ type: "TOO_MANY_ENTRIES" });
  });

  test("a calendar with many different rules and durations lists each series once", async () => {
    const guildId = calendar.newGuild();
    const kinds = FREQUENCIES.flatMap((frequency) =>
      [1, 2, 3, 5, 40].flatMap((interval) => [1, 5, 30, 99, 700].map((hours) => ({ frequency, interval, hours }))),
    );
    for (const { frequency, interval, hours } of kinds) {
      const times = { startsAt: noon, endsAt: noon + hours * HOUR };
      await calendar.create(guildId, { ...times, recurs: true, recurrence: { frequency, interval, count: 2 } });
    }
    const ids = (await calendar.list(guildId, noon, noon + HOUR)).map(({ eventId }) => eventId);
    expect([ids.length, new Set(ids).size]).toEqual([kinds.length, kinds.length]);
    const days = await calendar.list(guildId, noon + 30 * HOUR, noon + 31 * HOUR);
    expect(new Set(days.map(({ eventId }) => eventId)).size).toBe(days.length);
  });
});
