import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { ConsoleUnderTest, OPERATOR_KEY, signIn } from "./console-under-test.ts";

describe("a sign-in to the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  test("with a wrong key shows the words of the service and keeps the guild id", async () => {
    const { page } = await service.openPage();
    await signIn(page, "gc_live_wrong", "375357265198317579");
    await page.getByRole("alert").filter({ hasText: "no valid API key" }).waitFor();
    expect(await page.getByLabel("Guild id").inputValue()).toBe("375357265198317579");
  });

  test("with a malformed guild id names the field", async () => {
    const { page } = await service.openPage();
    await signIn(page, OPERATOR_KEY, "abc");
    const alert = page.getByRole("alert").filter({ hasText: "guild_id" });
    await expect(alert.waitFor()).resolves.toBeUndefined();
  });

  test("lasts for the tab: a reload keeps it, another tab does not have it, and a sign-out forgets it", async () => {
    const guild = await service.newGuild();
    const { page, button } = await service.open(guild);
    await page.reload();
    await page.getByText(`Guild ${guild.id}`).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${service.baseUrl}/console`);
    await other.getByLabel("API key").waitFor();
    expect(page.url()).not.toContain(OPERATOR_KEY);
    expect(await page.context().cookies()).toEqual([]);
    await button("Sign out").click();
    await page.getByLabel("API key").waitFor();
    await page.reload();
    await page.getByLabel("API key").waitFor();
    expect(await page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)))).not.toContain(OPERATOR_KEY);
  });

  test("with a read-only key shows everything and offers no change", async () => {
    const guild = await service.newGuild();
    await guild.event("2026-11-25T19:00:00Z", { name: "Raid night", description: "Bring potions" });
    const { key } = await service.newKey(guild, "read");
    const { page, button, dialog, go } = await service.open(guild, { key });
    await page.getByText("Read-only").waitFor();
    await go("calendar/month/2026-11-25");
    await button(/Raid night/).click();
    await dialog().getByText("Bring potions").waitFor();
    expect(await dialog().locator("input, textarea, select").count()).toBe(0);
    await page.keyboard.press("Escape");
    expect(await button("New event").count()).toBe(0);
    await go("settings");
    await page.getByLabel("Prefix of the bot's commands").waitFor();
    expect(await page.locator("main :is(input, select):enabled").count()).toBe(0);
    expect(await button("Save").count()).toBe(0);
  });

  test("with a key of another guild is refused with the words of the service", async () => {
    const { key } = await service.newKey(await service.newGuild(), "write");
    const { page } = await service.openPage();
    await signIn(page, key, (await service.newGuild()).id);
    const alert = page.getByRole("alert").filter({ hasText: "This API key does not allow that" });
    await expect(alert.waitFor()).resolves.toBeUndefined();
  });

  test("changes nothing in the guild", async () => {
    const guild = await service.newGuild();
    const before = await guild.post("/v2/changes");
    await service.open(guild);
    const after = await guild.post("/v2/changes");
    expect(after["changes"]).toEqual(before["changes"]);
  });

  test("with a key of the guild offers changes, but not those for operators", async () => {
    const guild = await service.newGuild();
    const { key } = await service.newKey(guild, "write");
    const { page, go } = await service.open(guild, { key });
    await go("settings");
    expect(await page.getByLabel("Prefix of the bot's commands").isEnabled()).toBe(true);
    expect(await page.getByLabel("Number of calendars").isEnabled()).toBe(false);
  });

  test("of a key that is revoked meanwhile ends with the words of the service", async () => {
    const guild = await service.newGuild();
    const { id, key } = await service.newKey(guild, "write");
    const { page, go } = await service.open(guild, { key });
    await service.revokeKey(id);
    // The stream of changes ends within seconds after the revocation; its next attempt is refused.
    await page.getByLabel("API key").waitFor();
    await page.getByRole("alert").filter({ hasText: "API key" }).waitFor();
    await go("settings");
    expect(await page.getByLabel("API key").count()).toBe(1);
  });

  test("can be in each language, which a reload keeps", async () => {
    const guild = await service.newGuild();
    const { page } = await service.open(guild, { locale: "es-ES" });
    await page.getByRole("link", { name: "Calendario" }).waitFor();
    await page.getByLabel("Idioma").selectOption("JAPANESE");
    await page.getByRole("link", { name: "カレンダー" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("ja");
    await page.reload();
    await page.getByRole("link", { name: "お知らせ" }).waitFor();
  });
});
