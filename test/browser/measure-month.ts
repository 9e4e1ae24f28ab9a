import { ConsoleUnderTest, type Guild, type OpenConsole, OPERATOR_KEY } from "./console-under-test.ts";

/*
 * Measures how long a month takes from the request of the page until one of its events has opened, with 500 entries and with 20.
 * A program of its own, since tests assert no times.
 *
 * CHROMIUM=/usr/bin/chromium-headless-shell node test/browser/measure-month.ts
 */
const ROUNDS = 7;
const DAYS = 25;
const START = Date.parse("2026-11-01T00:00:00Z");
const ROWS = [
  { name: "a month with 500 entries", series: 20 },
  { name: "a month with 25 entries", series: 1 },
];

async function filledGuild(service: ConsoleUnderTest, series: number): Promise<Guild> {
  const guild = await service.newGuild();
  const recurrence = { frequency: "DAILY", count: DAYS };
  for (let hour = 0; hour < series; hour += 1) {
    const start = new Date(START + hour * 3_600_000).toISOString();
    await guild.event(start, { name: `Watch ${hour}`, recur: true, recurrence });
  }
  return guild;
}

/** Milliseconds until the month is shown, and until an event that was clicked has opened. */
async function measure({ page, dialog }: OpenConsole): Promise<readonly [shown: number, usable: number]> {
  const begin = performance.now();
  await page.reload();
  const entry = page.locator("[data-entry]").first();
  await entry.waitFor();
  const shown = performance.now() - begin;
  await entry.click();
  await dialog().getByLabel("Name").waitFor();
  const usable = performance.now() - begin;
  await page.keyboard.press("Escape");
  return [shown, usable];
}

const median = (times: readonly number[]) =>
  Math.round(times.toSorted((one, other) => one - other)[times.length >> 1]!);

async function main(): Promise<void> {
  const service = await ConsoleUnderTest.start();
  try {
    const rows = [];
    for (const { name, series } of ROWS) {
      const opened = await service.open(await filledGuild(service, series), { key: OPERATOR_KEY });
      await opened.go("calendar/month/2026-11-25");
      rows.push({ name, opened, times: [] as (readonly [number, number])[] });
    }
    for (let round = 0; round < ROUNDS; round += 1) for (const row of rows) row.times.push(await measure(row.opened));
    for (const { name, times } of rows) {
      const [shown, usable] = [0, 1].map((at) => median(times.map((time) => time[at]!)));
      process.stdout.write(
        `${name}: shown after ${shown} ms, an event is open after ${usable} ms (medians of ${ROUNDS})\n`,
      );
    }
    await service.closePages();
  } finally {
    await service.end();
  }
}

await main();
