import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { DateTime } from "luxon";
import { ConsoleUnderTest, type Guild } from "./console-under-test.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The noon before the next change of the offset of a zone, by its clock. */
function noonBeforeChange(zone: string): DateTime<true> {
  let day = DateTime.now().setZone(zone).startOf("day").plus({ hours: 12 }) as DateTime<true>;
  while (day.offset === day.plus({ days: 1 }).offset) day = day.plus({ days: 1 });
  return day;
}

const startsOf = async (guild: Guild, from: number, days = 31) => {
  const window = { epoch_start: from, epoch_end: from + days * DAY_MS };
  const { events } = await guild.post("/v2/events/list/range", { calendar_number: 1, ...window });
  return (events as { epoch_start: number }[]).map(({ epoch_start }) => epoch_start);
};

/** A date as the console writes it, in English. */
const dateText = (day: DateTime) => day.setLocale("en-GB").toFormat("cccc, d LLLL y");

describe("the calendar of the console around a clock change", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  test("shows the zone of the calendar or that of the reader, and keeps wall-clock times over a clock change", async () => {
    const guild = await service.newGuild();
    await guild.post("/v2/calendar/update", { calendar_number: 1, timezone: "Europe/Berlin" });
    await guild.event("2026-10-24T18:00:00Z", { name: "Raid night" });
    const { page, button, go } = await service.open(guild, { timezoneId: "America/New_York" });
    await go("calendar/month/2026-10-10");
    await button(/Raid night, Saturday, 24 October 2026, 20:00/).waitFor();
    await page.getByLabel("Time zone").selectOption("America/New_York");
    await button(/Raid night, Saturday, 24 October 2026, 14:00/).waitFor();
    await button(/Raid night/).focus();
    for (const key of ["m", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await page.getByText("Moved.").waitFor();
    // Berlin leaves daylight saving time on the 25th: 20:00 there is an hour later in UTC.
    expect(await startsOf(guild, Date.parse("2026-10-01T00:00:00Z"))).toEqual([Date.parse("2026-10-26T19:00:00Z")]);
  });

  // An hour is lost or gained, and half an hour.
  test.each(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])(
    "has the times of the clock of %s on both sides of its next change, in every view; an event is created and moved across",
    async (zone) => {
      const before = noonBeforeChange(zone);
      const after = before.plus({ days: 1 });
      const guild = await service.newGuild();
      await guild.post("/v2/calendar/update", { calendar_number: 1, timezone: zone });
      const start = before.minus({ days: 1 }).plus({ hours: 8 });
      const recurrence = { frequency: "DAILY", count: 4 };
      await guild.event(start.toUTC().toISO()!, { name: "Watch", recur: true, recurrence });
      const { page, button, dialog, go } = await service.open(guild, { timezoneId: zone });
      for (const view of ["month", "agenda"]) {
        await go(`calendar/${view}/${before.toISODate()}`);
        for (const day of [before, after]) await button(new RegExp(`Watch, ${dateText(day)}, 20:00`)).waitFor();
      }
      // The change is on the last day of a week that starts on Monday.
      await go(`calendar/week/${after.toISODate()}`);
      await button(new RegExp(`Watch, ${dateText(after)}, 20:00`)).waitFor();

      await go(`calendar/month/${before.toISODate()}`);
      await button(`New event on ${dateText(before)}`).click();
      await dialog().getByLabel("Name").fill("Raid night");
      await dialog().getByLabel("Start", { exact: true }).fill("18:00");
      await dialog().getByLabel("End", { exact: true }).fill("19:00");
      await dialog().getByRole("button", { name: "Create" }).click();
      const raid = button(/Raid night,/);
      await raid.waitFor();
      await raid.focus();
      for (const key of ["m", "ArrowRight", "Enter"]) await page.keyboard.press(key);
      await page.getByText("Moved.").waitFor();
      const moved = after.set({ hour: 18 }).toMillis();
      expect(await startsOf(guild, before.minus({ days: 3 }).toMillis())).toEqual([
        ...[-1, 0].map((days) => before.plus({ days }).set({ hour: 20 }).toMillis()),
        moved,
        ...[1, 2].map((days) => before.plus({ days }).set({ hour: 20 }).toMillis()),
      ]);
      expect(moved - before.set({ hour: 18 }).toMillis()).not.toBe(DAY_MS);
      await expect(button(new RegExp(`Raid night, ${dateText(after)}, 18:00`)).waitFor()).resolves.toBeUndefined();
    },
  );
});
