import { describe, expect, test } from "@jest/globals";
import { MemoryGuild } from "../../test/doubles/memory-guild.ts";
import { memoryCalendars, memoryEvents } from "../../test/doubles/memory-events.ts";
import { sampleOccurrence } from "../../test/fixtures/dispatch-samples.ts";
import type { DraftChange } from "../contracts/draft-changes.contract.ts";
import { dateOfDay, dayOfDate } from "./domain/calendar/days.ts";
import { holidayReader, holidayReads } from "./holidays.ts";

const DAY = 86_400_000;
const HOLIDAYS = 2;
const FIRST = dayOfDate("2030-01-01");

type NewEvent = Omit<Extract<DraftChange, { readonly action: "CREATE_EVENT" }>, "action" | "calendarNumber">;

/** A guild whose second calendar has some events. */
async function guildWith(events: readonly NewEvent[]) {
  const guild = new MemoryGuild();
  await guild.write({ action: "UPDATE_SETTINGS", maxCalendars: 2 }, 0);
  for (const [nth, event] of events.entries()) {
    await guild.write({ action: "CREATE_EVENT", calendarNumber: HOLIDAYS, ...event }, nth);
  }
  const stores = [memoryEvents(guild.rows), memoryCalendars(guild.rows)] as const;
  return { guild, stores, of: { guildId: guild.id, calendarNumber: HOLIDAYS } };
}

const allDay = (date: string, name: string): NewEvent => ({ allDay: true, startDate: date, name });

function at(day: number, hour = 0): number {
  return day * DAY + hour * 3_600_000;
}

describe("the holidays of a calendar (D66)", () => {
  test("are the first entries of the days, also of a dense calendar with entries of several days", async () => {
    const { stores, of } = await guildWith([
      allDay("2030-01-02", "New year"),
      { startsAt: at(FIRST + 1, 9), endsAt: at(FIRST + 1, 10), name: "later" },
      { startsAt: at(FIRST + 3, 9), endsAt: at(FIRST + 5, 1), name: "three days" },
      ...Array.from({ length: 300 }, (_, n) => ({
        startsAt: at(FIRST + 20) + n,
        endsAt: at(FIRST + 20) + n,
        name: "many",
      })),
      { startsAt: at(FIRST + 20) + 9_000, endsAt: at(FIRST + 22), name: "long" },
      allDay("2031-01-01", "next year"),
    ]);
    const days = Array.from({ length: 366 }, (_, n) => FIRST + n);
    const found = await holidayReader(...stores, 5_000)(of, days);
    expect([...found].map(([day, { name }]) => [dateOfDay(day), name])).toEqual([
      ["2030-01-02", "New year"],
      ["2030-01-04", "three days"],
      ["2030-01-05", "three days"],
      ["2030-01-06", "three days"],
      ["2030-01-21", "many"],
      ["2030-01-22", "long"],
      ["2031-01-01", "next year"],
    ]);
    expect((await holidayReader(...stores, 5_000)(of, [FIRST + 4])).get(FIRST + 4)?.name).toBe("three days");
  });

  test("do not have ignored entries, however many hide a later one", async () => {
    const { stores, of } = await guildWith([
      ...Array.from({ length: 300 }, (_, n) => ({ startsAt: at(FIRST) + n, endsAt: at(FIRST) + n, name: "ignored" })),
      { startsAt: at(FIRST, 5), endsAt: at(FIRST, 6), name: "counts" },
    ]);
    for (const days of [[FIRST], [FIRST, FIRST + 1]]) {
      const found = await holidayReader(...stores, 5_000)(of, days, ({ name }) => name === "ignored");
      expect([...found.values()].map(({ name }) => name)).toEqual(["counts"]);
    }
  });

  test("are read once for all occurrences of a list, and concurrent posts of a day share a read", async () => {
    const { guild, stores } = await guildWith([allDay("2030-01-01", "New year")]);
    let reads = 0;
    const store = { snapshotReads: () => ((reads += 1), stores[0].snapshotReads()) };
    const holidays = holidayReads(store, stores[1]);
    const starts = Array.from({ length: 1_000 }, (_, n) => at(FIRST, n % 48));
    const occurrences = starts.map((startsAt) => sampleOccurrence({ startsAt, calendarNumber: 1 }));
    const params = { guildId: guild.id, holidaysOf: [HOLIDAYS] };
    const found = await holidays.ofList(
      { ...params, windows: [], limit: 1 },
      { occurrences, truncated: false },
      async () => true,
    );
    expect(found.occurrences.filter((each) => each.holidays?.[0]?.name === "New year")).toHaveLength(504);
    expect(reads).toBe(1);
    const [first] = occurrences as [(typeof occurrences)[0]];
    const due = await Promise.all(Array.from({ length: 100 }, () => holidays.ofOne(params, first, async () => true)));
    expect(due).toMatchObject(due.map(() => ({ holidays: [{ calendarNumber: HOLIDAYS, name: "New year" }] })));
    expect(reads).toBe(2);
  });

  test("of a calendar that the guild may not have are none (D20)", async () => {
    const { guild, stores } = await guildWith([allDay("2030-01-01", "New year")]);
    const holidays = holidayReads(...stores);
    const params = { guildId: guild.id, holidaysOf: [HOLIDAYS], windows: [], limit: 1 };
    const occurrences = [sampleOccurrence({ startsAt: at(FIRST), calendarNumber: 1 })];
    const isForbidden = async () => false;
    await expect(holidays.ofList(params, { occurrences, truncated: false }, isForbidden)).resolves.toEqual({
      occurrences,
      truncated: false,
    });
    await expect(holidays.ofOne(params, occurrences[0]!, isForbidden)).resolves.toEqual(occurrences[0]);
  });
});
