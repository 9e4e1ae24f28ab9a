import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { until } from "../harness/until.ts";
import { ConsoleUnderTest, type Guild } from "./console-under-test.ts";

type Listed = Readonly<Record<string, unknown>>;

/** The events of November and the first of December 2026 as the API lists them. */
async function listed(guild: Guild, from = "2026-11-01T00:00:00Z", days = 31): Promise<readonly Listed[]> {
  const window = { epoch_start: Date.parse(from), epoch_end: Date.parse(from) + days * 86_400_000 };
  return (await guild.post("/v2/events/list/range", { calendar_number: 1, ...window }))["events"] as Listed[];
}

const startsOf = async (guild: Guild, from?: string) =>
  (await listed(guild, from)).map(({ epoch_start }) => new Date(Number(epoch_start)).toISOString());

/** Drags with a mouse, in steps as a hand does. Both places must be on the screen together: each step renders the view again. */
async function drag(page: Page, from: Locator, to: Locator, at: { x: number; y: number }): Promise<void> {
  await to.hover({ position: at });
  await from.hover({ position: { x: 10, y: 8 } });
  let [x, y] = [NaN, NaN];
  // Absent while the view is rendered again.
  await until(async () => {
    ({ x, y } = (await to.boundingBox()) ?? { x, y });
    return !Number.isNaN(x);
  }, "the place is on the screen");
  await page.mouse.down();
  await page.mouse.move(x + at.x, y + at.y);
  await page.mouse.move(x + at.x + 2, y + at.y);
  await page.mouse.up();
}

describe("the calendar of the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  test("creates an event, shows it in every view, changes it, and deletes it", async () => {
    const guild = await service.newGuild();
    const { page, button, dialog, go } = await service.open(guild);
    await go("calendar/month/2026-11-25");
    await button("New event on Wednesday, 25 November 2026").click();
    await dialog().getByLabel("Name").fill("Raid night");
    await dialog().getByLabel("Location").fill("Molten Core");
    await dialog().getByRole("button", { name: "Create" }).click();
    for (const view of ["week", "agenda", "month"]) {
      await go(`calendar/${view}/2026-11-25`);
      await button(/Raid night, Wednesday/).waitFor();
    }
    expect(await startsOf(guild)).toEqual(["2026-11-25T19:00:00.000Z"]);
    await button(/Raid night/).click();
    await dialog().getByLabel("Name").fill("Raid night, hard mode");
    await dialog().getByLabel("Location").fill("");
    await dialog().getByRole("button", { name: "Save" }).click();
    await button(/Raid night, hard mode/).waitFor();
    expect((await listed(guild))[0]).not.toHaveProperty("location");
    await button(/Raid night/).click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await dialog().getByRole("button", { name: "Delete the event", exact: true }).click();
    await until(async () => (await button(/Raid night/).count()) === 0, "the event is gone");
    expect(await listed(guild)).toEqual([]);
    expect(await page.locator("dialog").count()).toBe(0);
  });

  test("creates an all-day event, whose last day is included", async () => {
    const guild = await service.newGuild();
    const { button, dialog, go } = await service.open(guild);
    await go("calendar/month/2026-11-25");
    await button("New event on Saturday, 28 November 2026").click();
    await dialog().getByLabel("Name").fill("Game jam");
    await dialog().getByLabel("All day").check();
    await dialog().getByLabel("Last day").fill("2026-11-29");
    await dialog().getByRole("button", { name: "Create" }).click();
    await until(async () => (await button(/Game jam/).count()) === 2, "the event is on two days");
    expect(await listed(guild)).toMatchObject([{ start_date: "2026-11-28", end_date: "2026-11-30" }]);
  });

  test("moves an event to another day by dragging, and keeps its time", async () => {
    const guild = await service.newGuild();
    await guild.event("2026-11-11T19:00:00Z", { name: "Raid night" });
    const { page, button, go } = await service.open(guild);
    await go("calendar/month/2026-11-25");
    await drag(page, button(/Raid night/), page.locator('td[data-date="2026-11-20"]'), { x: 40, y: 60 });
    await page.getByText("Moved.").waitFor();
    expect(await startsOf(guild)).toEqual(["2026-11-20T19:00:00.000Z"]);
    expect(await page.locator("dialog").count()).toBe(0);
  });

  test("moves an event in the week to another time by dragging", async () => {
    const guild = await service.newGuild();
    await guild.event("2026-11-25T12:00:00Z", { name: "Raid night" });
    const { page, button, go } = await service.open(guild);
    await go("calendar/week/2026-11-25");
    const scale = page.locator('[data-time-scale][data-date="2026-11-26"]');
    // 40 pixels are an hour; the event is grabbed 8 pixels below its start.
    await drag(page, button(/Raid night/), scale, { x: 30, y: 14 * 40 + 8 });
    await page.getByText("Moved.").waitFor();
    expect(await startsOf(guild)).toEqual(["2026-11-26T14:00:00.000Z"]);
  });

  test("works with the keyboard alone: moves an event, cancels a move, opens and closes it", async () => {
    const guild = await service.newGuild();
    await guild.event("2026-11-11T19:00:00Z", { name: "Raid night" });
    const { page, button, go, dialog } = await service.open(guild);
    await go("calendar/month/2026-11-25");
    await button(/Raid night/).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
    for (let tabs = 0; tabs < 40 && !(await focused()).includes("Raid night"); tabs += 1) {
      await page.keyboard.press("Tab");
    }
    for (const key of ["m", "ArrowRight", "Escape", "m", "ArrowRight", "ArrowDown", "Enter"]) {
      await page.keyboard.press(key);
    }
    await page.getByText("Moved.").waitFor();
    expect(await startsOf(guild)).toEqual(["2026-11-19T19:00:00.000Z"]);
    await until(async () => (await focused()).includes("Raid night"), "the focus stays on the event");
    await page.keyboard.press("Enter");
    await dialog().getByLabel("Name").waitFor();
    await page.keyboard.press("Escape");
    await until(async () => (await focused()).includes("Raid night"), "the focus returns to the event");
  });

  test("stores a move once although Enter is pressed again meanwhile", async () => {
    const guild = await service.newGuild();
    await guild.event("2026-11-11T19:00:00Z", { name: "Raid night" });
    const { page, button, go } = await service.open(guild);
    await go("calendar/month/2026-11-25");
    const sent = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let updates = 0;
    await page.route("**/v2/events/update", async (route) => {
      updates += 1;
      sent.resolve();
      await held.promise;
      await route.continue();
    });
    await button(/Raid night/).focus();
    for (const key of ["m", "ArrowRight", "Enter", "Enter"]) await page.keyboard.press(key);
    await sent.promise;
    await page.keyboard.press("Enter");
    held.resolve();
    await page.getByText("Moved.").waitFor();
    expect(await page.locator("dialog").count()).toBe(0);
    expect([updates, ...(await startsOf(guild))]).toEqual([1, "2026-11-12T19:00:00.000Z"]);
  });

  test.each([
    ["This occurrence", ["2026-11-02", "2026-11-10", "2026-11-16", "2026-11-23", "2026-11-30"]],
    ["This and all following ones", ["2026-11-02", "2026-11-10", "2026-11-17", "2026-11-24", "2026-12-01"]],
    ["The whole series", ["2026-11-03", "2026-11-10", "2026-11-17", "2026-11-24", "2026-12-01"]],
  ])("moves of a series: %s", async (scope, dates) => {
    const guild = await service.newGuild();
    const recurrence = { frequency: "WEEKLY", count: 5 };
    await guild.event("2026-11-02T19:00:00Z", { name: "Raid night", recur: true, recurrence });
    const { page, button, dialog, go } = await service.open(guild);
    await go("calendar/month/2026-11-25");
    await button(/Raid night, Monday, 9 November/).focus();
    for (const key of ["m", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await dialog().getByRole("button", { name: scope }).click();
    await page.getByText("Moved.").waitFor();
    expect((await startsOf(guild)).map((start) => start.slice(0, 10))).toEqual(dates);
  });

  test.each([
    ["This occurrence", 1, 5],
    ["This and all following ones", 4, 5],
    ["The whole series", 5, 5],
  ])("edits and cancels of a series: %s", async (scope, changed, all) => {
    const guild = await service.newGuild();
    const recurrence = { frequency: "WEEKLY", count: all };
    await guild.event("2026-11-02T19:00:00Z", { name: "Raid night", recur: true, recurrence });
    const { button, dialog, go, page } = await service.open(guild);
    await go("calendar/agenda/2026-11-02");
    await button(/Raid night, Monday, 9 November/).click();
    await dialog().getByLabel(scope).check();
    await dialog().getByLabel("Name").fill("Hard mode");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    expect((await listed(guild)).filter(({ name }) => name === "Hard mode")).toHaveLength(changed);
    await button(/Hard mode, Monday, 9 November/).click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await dialog().getByRole("button", { name: scope }).click();
    await page.getByText("Deleted.").waitFor();
    expect(await listed(guild)).toHaveLength(all - changed);
  });

  test("shows the events of a month with 500 of them, four on a day and the others in the agenda", async () => {
    const guild = await service.newGuild();
    const start = Date.parse("2026-11-01T00:00:00Z");
    for (let hour = 0; hour < 480; hour += 24) {
      const recurrence = { frequency: "DAILY", count: 25 };
      const fields = { name: `Watch ${hour / 24}`, recur: true, recurrence };
      await guild.event(new Date(start + (hour / 24) * 3_600_000).toISOString(), fields);
    }
    const { button, go } = await service.open(guild);
    await go("calendar/month/2026-11-25");
    await button(/^16 more on Monday, 9 November/).click();
    await expect(button(/Watch 19, Monday, 9 November/).waitFor()).resolves.toBeUndefined();
  });
});
