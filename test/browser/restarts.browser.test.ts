import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Locator } from "playwright-core";
import { ConsoleUnderTest, type Guild, type OpenConsole } from "./console-under-test.ts";

const CHANNEL = "381142957109346304";
const HOUR_MS = 3_600_000;

describe("while the service restarts", () => {
  let service: ConsoleUnderTest;
  let guild: Guild;
  let opened: OpenConsole;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  const open = async (location: string) => {
    opened = await service.open(guild);
    await opened.go(location);
    await opened.page.locator('main[aria-busy="false"]').waitFor();
  };

  /** Saves a form while the service is away, and again when it is back; the form has the same text all the time. */
  async function saveAcrossRestart(form: Locator, label: string, text: string): Promise<void> {
    const lost = opened.page.getByText("The service cannot be reached");
    const field = form.getByLabel(label).first();
    const save = form.getByRole("button", { name: /^(Save|Create)$/ });
    await field.fill(text);
    await service.stopService();
    await lost.waitFor();
    await save.click();
    await form.getByRole("alert").filter({ hasText: "Your entries are kept" }).waitFor();
    expect(await field.inputValue()).toBe(text);
    await service.startAgain();
    await lost.waitFor({ state: "hidden" });
    expect(await field.inputValue()).toBe(text);
    await save.click();
  }

  test("the form of an announcement is kept, and is saved afterwards", async () => {
    guild = await service.newGuild();
    const fields = { channel: CHANNEL, type: "UNIVERSAL", hours: 1, minutes: 0, info: "Bring potions" };
    const { id } = await guild.post("/v1/announcement/create", fields);
    await open("announcements");
    await opened.button(/All events/).click();
    await saveAcrossRestart(opened.dialog(), "Additional information", "Bring water");
    await opened.page.getByText("Saved.", { exact: true }).waitFor();
    expect(await guild.post("/v1/announcement/get", { id })).toMatchObject({ info: "Bring water" });
  });

  test("the form of the settings is kept, and is saved afterwards", async () => {
    guild = await service.newGuild();
    await open("settings");
    const form = opened.page.locator('[data-form="settings"]');
    await saveAcrossRestart(form, "Prefix of the bot's commands", "?");
    await opened.page.getByText("Saved.", { exact: true }).waitFor();
    expect(await guild.post("/v2/guild/settings/get")).toMatchObject({ prefix: "?" });
  });

  test("the form of a webhook is kept, and its secret is shown afterwards", async () => {
    guild = await service.newGuild();
    await open("webhooks");
    await opened.button("New webhook").click();
    await saveAcrossRestart(opened.dialog(), "Address", "https://bot.example/guildcal");
    await opened.dialog().locator("[data-secret]").waitFor();
    expect(await guild.post("/v2/webhooks/list")).toMatchObject({ webhooks: [{ enabled: true }] });
  });

  test("the timeline stays, and shows afterwards what was posted meanwhile", async () => {
    guild = await service.newGuild();
    await guild.post("/v1/announcement/create", {
      channel: CHANNEL,
      type: "UNIVERSAL",
      hours: 1,
      minutes: 0,
      info: "",
    });
    await guild.event(new Date(Date.now() + HOUR_MS + 10_000).toISOString(), { name: "Raid night" });
    await open("timeline");
    await opened.button(/Raid night.*planned/).waitFor();
    await service.stopService();
    await opened.page.getByText("The service cannot be reached").waitFor();
    await opened.button(/Raid night.*planned/).click();
    await opened.dialog().getByText("It will be posted when it is due.").waitFor();
    await opened.page.keyboard.press("Escape");
    await service.startAgain();
    await expect(opened.button(/Raid night.*(sent|late)/).waitFor()).resolves.toBeUndefined();
  });
});

describe("without a stream of changes", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  test("the console says that it polls, and shows what others change", async () => {
    const guild = await service.newGuild();
    const { page, button, go } = await service.openPage();
    const refusal = { message: "Too many streams", code: "TOO_MANY_STREAMS", request_id: "r-1" };
    await page.route("**/v2/changes/stream*", (route) => route.fulfill({ status: 429, json: refusal }));
    await page.locator('input[name="key"]').fill((await service.newKey(guild, "write")).key);
    await page.locator('input[name="guild_id"]').fill(guild.id);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation").waitFor();
    await go("calendar/month/2026-11-25");
    await page.getByText("Changes are read every 15 seconds.").waitFor();
    await guild.event("2026-11-25T19:00:00Z", { name: "Raid night" });
    await expect(button(/Raid night/).waitFor()).resolves.toBeUndefined();
  });
});
