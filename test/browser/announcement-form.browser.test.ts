import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { ConsoleUnderTest } from "./console-under-test.ts";

const CHANNEL = "381142957109346304";
const HOUR_MS = 3_600_000;

describe("the form of an announcement", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  async function openForm(width: number, more: Readonly<Record<string, unknown>> = {}) {
    const guild = await service.newGuild();
    await guild.event(new Date(Date.now() + 10 * HOUR_MS).toISOString(), { name: "Raid night" });
    const fields = { channel: CHANNEL, type: "UNIVERSAL", hours: 1, minutes: 0, info: "Bring **potions** and water" };
    await guild.post("/v1/announcement/create", { ...fields, ...more });
    const { button, dialog, go } = await service.open(guild, { viewport: { width, height: 700 } });
    await go("announcements");
    await button(/All events/).click();
    const message = dialog().locator(".discord");
    await message.waitFor();
    return { dialog: dialog(), message };
  }

  const box = async (locator: Awaited<ReturnType<typeof openForm>>["message"]) => (await locator.boundingBox())!;

  test("has its message beside it on a wide page, in sight also at the end of the form", async () => {
    const { dialog, message } = await openForm(1_100);
    const channel = dialog.getByLabel("Channel");
    const { x, width } = await box(channel);
    expect((await box(message)).x).toBeGreaterThan(x + width);
    await dialog.getByRole("button", { name: "Save" }).scrollIntoViewIfNeeded();
    expect((await box(channel)).y).toBeLessThan(0);
    const { y, height } = await box(message);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(700);
  });

  test("has its message below it on a narrow page", async () => {
    const { dialog, message } = await openForm(800);
    const { y, height } = await box(dialog.getByRole("button", { name: "Save" }));
    expect((await box(message)).y).toBeGreaterThan(y + height);
  });

  test("shows bold words of a field within their line", async () => {
    const { message } = await openForm(1_100);
    const display = await message.locator("b.bold").evaluate((node) => getComputedStyle(node).display);
    expect(display).toBe("inline");
  });

  test("says why the post of a message will be skipped, or some of its posts", async () => {
    const pause = { paused_until: Date.now() + 9.5 * HOUR_MS };
    const { dialog } = await openForm(1_100, pause);
    const notices = (form: typeof dialog) => form.locator(".preview .notice").allInnerTexts();
    const skipped = /It will be skipped when it is due\. Reason: paused until .*\(announcement\)$/;
    await expect(notices(dialog)).resolves.toEqual([expect.stringMatching(skipped)]);
    const offsets = [-120, -60, 0].map((minutes) => ({ anchor: "START", minutes }));
    const several = await openForm(1_100, { ...pause, hours: undefined, minutes: undefined, offsets });
    await expect(notices(several.dialog)).resolves.toEqual([
      expect.stringMatching(/^2 h 0 min before the start: It will be skipped/),
      expect.stringMatching(/^1 h 0 min before the start: It will be skipped/),
    ]);
  });

  test("has a digest, which is previewed, stored, shown on its card and on the timeline", async () => {
    const guild = await service.newGuild();
    const tomorrow = new Date(Date.now() + 24 * HOUR_MS).toISOString().slice(0, 10);
    await guild.event(`${tomorrow}T19:00:00Z`, { name: "Raid night" });
    const { page, button, dialog, go } = await service.open(guild);
    await go("announcements");
    await button("New announcement").click();
    await dialog().getByLabel("Channel").fill(CHANNEL);
    await dialog().getByLabel("Covers").selectOption("DIGEST");
    expect(await dialog().getByLabel("Hours before the start").isVisible()).toBe(false);
    await dialog().getByLabel("How often").selectOption("WEEKLY");
    await dialog().getByLabel("Weekday").selectOption("SU");
    await dialog().getByLabel("How often").selectOption("DAILY");
    expect(await dialog().getByLabel("Weekday").isVisible()).toBe(false);
    await dialog().getByLabel("Time on the clock of the calendar").fill("08:30");
    await dialog().getByLabel("Days ahead").fill("2");
    await dialog().getByLabel("Text if there is no event").fill("A quiet day.");
    const message = (label: string) => dialog().locator(".preview-content").filter({ hasText: label });
    await message("not saved yet.").filter({ hasText: "Raid night" }).waitFor();
    await dialog().getByRole("button", { name: "Create" }).click();
    await message("as saved.").filter({ hasText: "Raid night" }).waitFor();
    await page.keyboard.press("Escape");
    const { announcements } = await guild.post("/v1/announcement/list", { amount: -1 });
    expect(announcements).toMatchObject([
      {
        type: "DIGEST",
        digest: { calendar_number: 1, frequency: "DAILY", time: "08:30", days: 2, empty_text: "A quiet day." },
      },
    ]);
    await button(/Events of calendar 1, 2 days ahead/).waitFor();
    await go("timeline");
    await button(/Events of calendar 1, 2 days ahead.*planned/)
      .first()
      .click();
    await expect(
      dialog()
        .getByText(/It will be (posted|planned)/)
        .waitFor(),
    ).resolves.toBeUndefined();
  });

  test("keeps posts out of a calendar of holidays, edits messages and deletes them, if it says so", async () => {
    const guild = await service.newGuild();
    await guild.post("/v2/guild/settings/update", { max_calendars: 2 });
    await guild.post("/v2/calendar/update", { calendar_number: 2, name: "Holidays" });
    const day = new Date(Date.now() + 24 * HOUR_MS).toISOString().slice(0, 10);
    const holiday = { calendar_number: 2, name: "Lantern festival", all_day: true, start_date: day };
    await guild.post("/v2/events/create", holiday);
    await guild.event(`${day}T12:00:00Z`, { name: "Raid night" });
    const fields = { channel: CHANNEL, type: "UNIVERSAL", hours: 1, minutes: 0, info: "" };
    const { id } = await guild.post("/v1/announcement/create", fields);
    const stored = () => guild.post("/v1/announcement/get", { id });
    const { page, button, dialog, go } = await service.open(guild);
    await go("announcements");
    await button(/All events/).click();
    await dialog().getByLabel("No posts on days with an entry of calendar (number)").fill("2");
    await dialog().getByLabel("Edit sent messages when their event changes").check();
    await dialog().getByLabel("Delete sent messages (minutes after the end of the event)").fill("30");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog()
      .getByText(/It will be skipped when it is due\. Reason: holiday: Lantern festival/)
      .waitFor();
    expect(await stored()).toMatchObject({ skip_on: 2, on_change: "EDIT", clean_up: 30 });
    await page.keyboard.press("Escape");
    await go("timeline");
    await button(/Raid night.*skipped.*holiday: Lantern festival/).waitFor();
    await go("announcements");
    await button(/All events/).click();
    await dialog().getByLabel("No posts on days with an entry of calendar (number)").fill("");
    await dialog().getByLabel("Edit sent messages when their event changes").uncheck();
    await dialog().getByLabel("Delete sent messages (minutes after the end of the event)").fill("");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    expect(Object.keys(await stored())).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/skip_on|on_change|clean_up/)]),
    );
  });
});
