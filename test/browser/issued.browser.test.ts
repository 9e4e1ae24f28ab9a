import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { post } from "../harness/guildcal-process.ts";
import { until } from "../harness/until.ts";
import { ConsoleUnderTest, OPERATOR_KEY, type OpenConsole } from "./console-under-test.ts";

describe("the secrets in the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  /** The secret that the open dialog shows. The dialog is closed afterwards, and the page has the secret nowhere. */
  async function takeSecret({ page, dialog }: OpenConsole): Promise<string> {
    const input = dialog().locator("[data-secret]");
    await input.waitFor();
    const secret = await input.inputValue();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.baseUrl });
    await dialog().getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.", { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await page.keyboard.press("Escape");
    await input.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(secret);
    return secret;
  }

  test("of a webhook are shown once; a webhook is created, disabled, rotated and deleted", async () => {
    const guild = await service.newGuild();
    const opened = await service.open(guild);
    const { page, button, dialog, go } = opened;
    await go("webhooks");
    await page.getByText("No webhooks.").waitFor();
    await button("New webhook").click();
    await dialog().getByLabel("Address").fill("ftp://bot.example");
    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog()
      .getByText(/url: must be an https URL/)
      .waitFor();
    await dialog().getByLabel("Address").fill("https://bot.example/guildcal");
    await dialog().getByLabel("calendar.updated").uncheck();
    await dialog().getByRole("button", { name: "Create" }).click();
    const secret = await takeSecret(opened);
    const list = async () => (await guild.post("/v2/webhooks/list"))["webhooks"] as Record<string, unknown>[];
    expect(await list()).toMatchObject([{ url: "https://bot.example/guildcal", enabled: true }]);
    expect((await list())[0]!["types"]).not.toContain("calendar.updated");
    await button("Rotate: https://bot.example/guildcal").click();
    await dialog()
      .getByRole("button", { name: /24 hours/ })
      .click();
    expect(await takeSecret(opened)).not.toBe(secret);
    await page.getByText("The former secret is valid until").waitFor();
    await button("Disable: https://bot.example/guildcal").click();
    await button("Enable: https://bot.example/guildcal").waitFor();
    expect(await list()).toMatchObject([{ enabled: false }]);
    await button("Delete: https://bot.example/guildcal").click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByText("No webhooks.").waitFor();
    expect(await list()).toEqual([]);
  });

  test("of a feed are shown once, and its address is that of the calendar until it is rotated or revoked", async () => {
    const guild = await service.newGuild();
    await guild.event("2026-11-25T19:00:00Z", { name: "Raid night" });
    const opened = await service.open(guild);
    const { page, button, dialog, go } = opened;
    await go("feeds");
    await button("New feed").click();
    await dialog().getByLabel("Label").fill("Raid leaders");
    await dialog().getByRole("button", { name: "Create" }).click();
    const address = await takeSecret(opened);
    const statusOf = async (url: string) => (await fetch(url)).status;
    expect(await (await fetch(address)).text()).toContain("SUMMARY:Raid night");
    await button("Rotate: Raid leaders").click();
    await dialog().getByRole("button", { name: "Rotate" }).click();
    const next = await takeSecret(opened);
    await until(async () => (await statusOf(address)) === 404, "the former address is refused");
    expect(await statusOf(next)).toBe(200);
    await button("Revoke: Raid leaders").click();
    await dialog().getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No feeds.").waitFor();
    await until(async () => (await statusOf(next)) === 404, "the revoked feed is refused");
  });

  test("of an API key are shown once, to operators only; a key is created, rotated and revoked", async () => {
    const guild = await service.newGuild();
    const opened = await service.open(guild);
    const { button, dialog, go } = opened;
    await go("keys");
    await button("New key").click();
    await dialog().getByLabel("Label").fill("of the dashboard");
    await dialog().getByLabel("Access").selectOption("write");
    await dialog().getByRole("button", { name: "Create" }).click();
    const key = await takeSecret(opened);
    const statusOf = async (used: string) =>
      (await post(service.baseUrl, used, "/v2/guild/settings/get", { guild_id: guild.id })).status;
    expect(await statusOf(key)).toBe(200);
    await button("Rotate: of the dashboard").click();
    await dialog()
      .getByRole("button", { name: /at once/ })
      .click();
    const next = await takeSecret(opened);
    await until(async () => (await statusOf(key)) === 401, "the former key is refused");
    expect(await statusOf(next)).toBe(200);

    const other = await service.open(guild, { key: next });
    expect(await other.page.getByRole("link", { name: "API keys" }).count()).toBe(0);
    await other.go("keys");
    await other.page.getByText("Only operator keys show API keys.").waitFor();
    await button("Revoke: of the dashboard").click();
    await dialog().getByRole("button", { name: "Revoke" }).click();
    await opened.page.locator('[data-issued] .tag:text("Revoked or expired")').first().waitFor();
    await until(async () => (await statusOf(next)) === 401, "the revoked key is refused");
    expect(await statusOf(OPERATOR_KEY)).toBe(200);
  });

  test("are not offered to a read-only key, which sees what there is", async () => {
    const guild = await service.newGuild();
    await guild.post("/v2/webhooks/create", { url: "https://bot.example/x", types: ["event.created"] });
    await guild.post("/v2/calendar/feeds/create", { calendar_number: 1, label: "Raid leaders" });
    const { key } = await service.newKey(guild, "read");
    const { page, go } = await service.open(guild, { key });
    await go("webhooks");
    await page.getByRole("heading", { name: "https://bot.example/x" }).waitFor();
    expect(await page.locator("main button").count()).toBe(0);
    await go("feeds");
    await page.getByRole("heading", { name: "Raid leaders" }).waitFor();
    expect(await page.locator("main button").count()).toBe(0);
  });
});
