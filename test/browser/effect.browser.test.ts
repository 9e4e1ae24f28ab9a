import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../harness/until.ts";
import { ConsoleUnderTest, type Guild } from "./console-under-test.ts";

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Math.floor(Date.now() / HOUR_MS + hours) * HOUR_MS).toISOString();

describe("the effect on the posts in the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  const announce = async (guild: Guild) => {
    const rule = { channel: "381142957109346304", type: "UNIVERSAL", hours: 1, minutes: 0, info: "Bring potions" };
    return String((await guild.post("/v1/announcement/create", rule))["id"]);
  };

  test("is shown before an announcement is saved, with the texts on demand, by the keyboard alone; nothing is stored", async () => {
    const guild = await service.newGuild();
    const recurrence = { frequency: "DAILY", count: 12 };
    await guild.event(inHours(50), { name: "Raid night", recur: true, recurrence });
    const { page, button, dialog, go } = await service.open(guild);
    await go("announcements");
    await button("New announcement").click();
    const effect = dialog().getByRole("region", { name: "Effect on the posts" });
    await effect.getByRole("status").filter({ hasText: "nothing has been changed yet" }).waitFor();
    await dialog().getByLabel("Minutes before the start").fill("30");
    await effect.getByRole("status").filter({ hasText: "not known now: channel" }).waitFor();
    await dialog().getByLabel("Channel").fill("381142957109346304");
    await effect.getByRole("status").filter({ hasText: "adds 12 posts." }).waitFor();
    await effect.locator("summary").focus();
    await page.keyboard.press("Enter");
    await effect.getByRole("listitem").first().filter({ hasText: "Raid night" }).waitFor();
    expect(await effect.getByRole("listitem").count()).toBe(12);
    expect(await guild.post("/v1/announcement/list", { amount: -1 })).toMatchObject({ announcements: [] });

    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog().locator(".preview-content").filter({ hasText: "as saved." }).waitFor();
    await dialog().getByLabel("Minutes before the start").fill("45");
    await effect.getByRole("status").filter({ hasText: "moves 12 posts." }).waitFor();
    await dialog().getByRole("button", { name: "Save" }).click();
    await effect.getByRole("status").filter({ hasText: "nothing has been changed yet" }).waitFor();

    await dialog().getByRole("button", { name: "Delete" }).click();
    const status = dialog().getByRole("region", { name: "Effect on the posts" }).getByRole("status");
    await status.filter({ hasText: "removes 12 posts." }).waitFor();
    await page.keyboard.press("Escape");
    const { announcements } = await guild.post("/v1/announcement/list", { amount: -1 });
    expect(announcements).toMatchObject([{ minutes: 45 }]);
  });

  test("is shown for an event, also for a scope of its series, and is what happens", async () => {
    const guild = await service.newGuild();
    await announce(guild);
    const start = inHours(60);
    const recurrence = { frequency: "DAILY", count: 3 };
    await guild.event(start, { name: "Raid night", recur: true, recurrence });
    const { button, dialog, go } = await service.open(guild);
    await go(`calendar/agenda/${start.slice(0, 10)}`);
    await button(/Raid night/)
      .first()
      .click();
    const status = dialog().getByRole("region", { name: "Effect on the posts" }).getByRole("status");
    const field = dialog().getByLabel("Start", { exact: true });
    await field.fill(`${String((Number(start.slice(11, 13)) + 1) % 24).padStart(2, "0")}:30`);
    await status.filter({ hasText: "moves 1 post." }).waitFor();
    await dialog().getByLabel("The whole series").check();
    await status.filter({ hasText: "moves 3 posts." }).waitFor();
    const before = await guild.post("/v1/announcement/upcoming", { due_from: 0, limit: 10 });
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().waitFor({ state: "detached" });
    const dueIn = (list: Record<string, unknown>) => (list["posts"] as { due: number }[]).map(({ due }) => due);
    await until(async () => {
      const after = dueIn(await guild.post("/v1/announcement/upcoming", { due_from: 0, limit: 10 }));
      return after.length === 3 && after.every((due) => !dueIn(before).includes(due));
    }, "the three posts are due at other times");
  });

  test("is shown for settings and for a new zone, in the reader's language", async () => {
    const guild = await service.newGuild();
    await announce(guild);
    const recurrence = { frequency: "DAILY", count: 2 };
    await guild.event(inHours(50), { name: "Raid night", recur: true, recurrence });
    const { page, go } = await service.open(guild, { locale: "es-ES" });
    await go("settings");
    const effectIn = (form: string) => page.locator(`[data-form="${form}"]`).getByRole("status");
    await page.locator('[data-form="settings"] select[name="lang"]').selectOption("SPANISH");
    await effectIn("settings").filter({ hasText: "cambia 2 publicaciones." }).waitFor();
    await page.locator('[data-form="calendar 1"] input[name="timezone"]').fill("Asia/Tokyo");
    await effectIn("calendar 1").filter({ hasText: "mueve 2 publicaciones." }).waitFor();
    expect(await guild.post("/v2/guild/settings/get")).toMatchObject({ lang: "ENGLISH" });
    expect(await guild.post("/v2/calendar/get", { calendar_number: 1 })).toMatchObject({ timezone: "UTC" });
  });
});
