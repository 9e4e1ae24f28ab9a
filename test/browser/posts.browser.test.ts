import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../harness/until.ts";
import { ConsoleUnderTest, type Guild } from "./console-under-test.ts";

const CHANNEL = "381142957109346304";
const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

const announce = async (guild: Guild, fields: Record<string, unknown> = {}) =>
  String(
    (
      await guild.post("/v1/announcement/create", {
        channel: CHANNEL,
        type: "UNIVERSAL",
        hours: 1,
        minutes: 0,
        info: "Bring potions",
        ...fields,
      })
    )["id"],
  );

describe("the posts in the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  test("are on one timeline: planned, sent, skipped and cancelled, each with its event and its whole story", async () => {
    const guild = await service.newGuild();
    const { page, button, dialog, go } = await service.open(guild);
    await go("timeline");
    await guild.event(new Date(Date.now() + HOUR_MS + 2_000).toISOString(), { name: "Dungeon run" });
    const moved = await guild.event(inHours(5), { name: "Duel" });
    await guild.event(inHours(0.5), { name: "Council" });
    await announce(guild, { subscribers_role: ["everyone"] });
    await button(/Duel.*planned/).waitFor();
    // A post is on the timeline before it is planned.
    const areStored = async () =>
      ((await guild.post("/v1/announcement/upcoming", { amount: -1 }))["posts"] as unknown[]).length === 2;
    await until(areStored, "both posts are planned");
    await guild.post("/v2/events/delete", { calendar_number: 1, event_id: moved });
    await button(/Dungeon run.*sent/).waitFor();
    await button(/Deleted event.*cancelled/).waitFor();
    await button(/Council.*skipped/).click();
    await dialog().getByText("It was not posted: it was skipped.").waitFor();
    expect(await dialog().innerText()).toMatch(/Due[\s\S]*Outcome at[\s\S]*Reason[\s\S]*Channel/);
    await page.keyboard.press("Escape");
    await button(/Dungeon run.*sent/).click();
    expect(await dialog().innerText()).toMatch(/1 h 0 min before the start; All events[\s\S]*Message id/);
    await page.keyboard.press("Escape");
    await button(/^skipped 1/).click();
    expect(await button(/Dungeon run/).count()).toBe(0);
    await button(/Council/).waitFor();
  });

  test("of the next month are on the timeline, also those that are not planned yet", async () => {
    const guild = await service.newGuild();
    const { button, dialog, go } = await service.open(guild);
    await guild.event(inHours(20 * 24), { name: "Guild anniversary" });
    await guild.event(inHours(40 * 24), { name: "Solstice" });
    await announce(guild);
    await go("timeline");
    await button(/Guild anniversary.*planned/).click();
    await dialog().getByText("It will be planned two days ahead, if nothing changes until then.").waitFor();
    expect(await button(/Solstice/).count()).toBe(0);
  });

  test("have the texts of the guild's template, which is a part of its settings", async () => {
    const guild = await service.newGuild();
    await guild.post("/v2/guild/settings/update", { template: { body: "Be there", fields: ["TIMES"] } });
    const { page, go } = await service.open(guild);
    await go("settings");
    const form = page.locator('[data-form="settings"]');
    const title = form.getByLabel("Title of messages, if an announcement has no text of its own");
    const save = () => form.getByRole("button", { name: "Save" }).click();
    await title.fill("{nonsense}");
    await save();
    await form
      .locator('[data-field="template.title"] .problem')
      .filter({ hasText: /placeholder/ })
      .waitFor();
    await title.fill("{name} soon");
    await save();
    await page.getByText("Saved.", { exact: true }).waitFor();
    expect(await guild.post("/v2/guild/settings/get")).toMatchObject({
      template: { title: "{name} soon", body: "Be there", fields: ["TIMES"] },
    });
  });

  test("have their announcement, which is created, shown with its message, changed and deleted", async () => {
    const guild = await service.newGuild();
    await guild.event(inHours(30), { name: "Raid night", location: "Molten Core", color: "TURQUOISE" });
    const { page, button, dialog, go } = await service.open(guild);
    await go("announcements");
    await button("New announcement").click();
    await dialog().getByLabel("Channel").fill(CHANNEL);
    await dialog().getByLabel("Additional information").first().fill("Bring **potions**");
    await dialog().getByLabel("Roles to mention").fill("everyone");
    // The message is seen while it is typed.
    const preview = (label: string) => dialog().locator(".preview-content").filter({ hasText: label });
    await preview("not saved yet.").filter({ hasText: "Bring potions" }).filter({ hasText: "@everyone" }).waitFor();
    await dialog().getByRole("button", { name: "Create" }).click();
    const message = dialog().locator(".discord");
    await preview("as saved.").waitFor();
    await message.locator(".embed-title").filter({ hasText: "Raid night" }).waitFor();
    expect(await message.locator(".mention").first().innerText()).toBe("@everyone");
    expect(await message.locator(".embed").evaluate((node) => getComputedStyle(node).borderLeftColor)).toBe(
      "rgb(70, 214, 219)",
    );
    expect(await message.locator(".time").count()).toBeGreaterThan(0);
    await dialog().getByLabel("Hours before the start").fill("2");
    await dialog().getByLabel("Additional information").first().fill("Bring water");
    await dialog().getByLabel("Title of the message").fill("{name} at {location}");
    await preview("not saved yet.").filter({ hasText: "Raid night at Molten Core" }).waitFor();
    await dialog().getByRole("button", { name: "Save" }).click();
    await preview("as saved.").filter({ hasText: "Bring water" }).waitFor();
    const { announcements } = await guild.post("/v1/announcement/list", { amount: -1 });
    expect(announcements).toMatchObject([
      { hours: 2, info: "Bring water", subscribers_role: ["everyone"], template: { title: "{name} at {location}" } },
    ]);
    await dialog().getByRole("button", { name: "Delete" }).click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByText("No announcements.").waitFor();
    expect(await guild.post("/v1/announcement/list", { amount: -1 })).toMatchObject({ announcements: [] });
  });

  test("have the announcement of a series, and one that somebody else has changed (412)", async () => {
    const guild = await service.newGuild();
    const series = await guild.event(inHours(10), {
      name: "Raid night",
      recur: true,
      recurrence: { frequency: "DAILY" },
    });
    const { page, button, dialog, go } = await service.open(guild);
    await go("announcements");
    await button("New announcement").click();
    await dialog().getByLabel("Channel").fill(CHANNEL);
    await dialog().getByLabel("Covers").selectOption("RECUR");
    await until(
      async () => (await dialog().locator(`datalist option[value="${series}"]`).count()) === 1,
      "the series is a choice",
    );
    await dialog().getByLabel("Event", { exact: true }).fill(series);
    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog().locator(".preview-content").filter({ hasText: "as saved." }).waitFor();
    expect(await dialog().locator(".embed-title").count()).toBe(3);
    const { announcements } = await guild.post("/v1/announcement/list", { amount: -1 });
    const [{ id }] = announcements as [{ id: string }];
    await guild.post("/v1/announcement/update", { id, info: "Theirs" });
    await dialog().getByLabel("Minutes before the start").fill("30");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByRole("cell", { name: "Theirs" }).waitFor();
    await dialog().getByRole("button", { name: "Save my changes on top" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    expect(await guild.post("/v1/announcement/get", { id })).toMatchObject({ minutes: 30, info: "Theirs" });
  });

  test("are several for an event whose announcement has offsets, which the form changes and the timeline tells apart (D54)", async () => {
    const guild = await service.newGuild();
    await guild.event(inHours(30), { name: "Raid night" });
    const { page, button, dialog, go } = await service.open(guild);
    await go("announcements");
    await button("New announcement").click();
    await dialog().getByLabel("Channel").fill(CHANNEL);
    const field = () => dialog().getByLabel("Offsets, in place of hours and minutes");
    await field().fill("START -1440, END soon");
    await dialog().getByRole("button", { name: "Create" }).click();
    const problem = dialog().locator('[data-field="offsets"] .problem');
    await problem.filter({ hasText: "offsets[1].minutes" }).waitFor();
    await field().fill("START -1440, -10, END 15");
    const effect = dialog().getByRole("region", { name: "Effect on the posts" }).getByRole("status");
    await effect.filter({ hasText: "adds 3 posts." }).waitFor();
    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog().locator(".preview-content").filter({ hasText: "as saved." }).waitFor();
    expect(await field().inputValue()).toBe("START -1440, START -10, END 15");
    await page.keyboard.press("Escape");
    await go("timeline");
    await until(async () => (await button(/Raid night.*planned/).count()) === 3, "each offset has its post");
    await button(/Raid night.*planned/)
      .last()
      .click();
    await dialog().getByText("0 h 15 min after the end; All events").waitFor();
    await page.keyboard.press("Escape");
    await go("announcements");
    await button(/24 h 0 min before the start, 0 h 10 min before the start, 0 h 15 min after the end/).click();
    await field().fill("");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    const { announcements } = await guild.post("/v1/announcement/list", { amount: -1 });
    expect(announcements).toMatchObject([{ hours: 24, minutes: 0, offsets: [{ anchor: "START", minutes: -1440 }] }]);
  });

  test("and the calendar show what others change, without a reload", async () => {
    const guild = await service.newGuild();
    const { button, go } = await service.open(guild);
    await go("calendar/month/2026-11-25");
    const id = await guild.event("2026-11-25T19:00:00Z", { name: "Raid night" });
    await button(/Raid night/).waitFor();
    await guild.post("/v2/events/update", { calendar_number: 1, event_id: id, name: "Hard mode" });
    await button(/Hard mode/).waitFor();
    await guild.post("/v2/events/delete", { calendar_number: 1, event_id: id });
    await expect(button(/Hard mode/).waitFor({ state: "detached" })).resolves.toBeUndefined();
  });

  test("have the language of the settings, which are changed with their conflicts", async () => {
    const guild = await service.newGuild();
    const { page, go, dialog } = await service.open(guild);
    await go("settings");
    const form = page.locator('[data-form="settings"]');
    await form.getByLabel("Language of the posts").selectOption("SPANISH");
    await form.getByLabel("Short posts").check();
    await guild.post("/v2/guild/settings/update", { prefix: "?" });
    await form.getByRole("button", { name: "Save" }).click();
    await dialog()
      .getByRole("row", { name: /Prefix/ })
      .waitFor();
    await dialog().getByRole("button", { name: "Save my changes on top" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    expect(await guild.post("/v2/guild/settings/get")).toMatchObject({
      lang: "SPANISH",
      simple_announcements: true,
      prefix: "?",
    });
    const calendar = page.locator('[data-form="calendar 1"]');
    await calendar.getByLabel("Time zone of the calendar").fill("Asia/Tokyo");
    await calendar.getByRole("button", { name: "Save" }).click();
    await until(
      async () => (await guild.post("/v2/calendar/get", { calendar_number: 1 }))["timezone"] === "Asia/Tokyo",
      "the zone is stored",
    );
  });
});
