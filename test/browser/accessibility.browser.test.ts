import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { ConsoleUnderTest } from "./console-under-test.ts";
import { fill, inEachDialog, onEachPage, openConflict, violationsOf } from "./filled-guild.ts";

describe("the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  test.each([
    ["light", 1100],
    ["dark", 1100],
    ["light", 360],
    ["dark", 360],
  ] as const)("has no violation of WCAG 2.2 AA that axe finds, in %s, %d pixels wide", async (colorScheme, width) => {
    const guild = await service.newGuild();
    await fill(guild, "Raid night");
    const opened = await service.open(guild, { colorScheme, viewport: { width, height: 800 } });
    const { page, button } = opened;
    const found: string[] = [];
    const checked: string[] = [];
    const check = async (place: string) => {
      checked.push(place);
      found.push(...(await violationsOf(page)).map((violation) => `${place}: ${violation}`));
    };
    await onEachPage(opened, check);
    await inEachDialog(opened, check);
    await openConflict(opened, guild);
    await check("a conflict");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await button("Sign out").click();
    await page.locator('input[name="key"]').waitFor();
    await check("the sign-in");
    expect(checked.length).toBeGreaterThanOrEqual(20);
    expect(found).toEqual([]);
  });

  test("needs no scrolling to the side at 360 pixels, on every page and in every dialog", async () => {
    const guild = await service.newGuild();
    await fill(guild, "A very long name without any end ".repeat(6).replaceAll(" ", "_"));
    const opened = await service.open(guild, { viewport: { width: 360, height: 740 } });
    const { page, dialog } = opened;
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await onEachPage(opened, async (location) => expect([location, await width()]).toEqual([location, 360]));
    const tooWide: string[] = [];
    const check = async (name: string) => {
      const fits = await dialog().evaluate((node) => {
        const { left, right } = node.getBoundingClientRect();
        return node.scrollWidth <= node.clientWidth && left >= 0 && right <= globalThis.innerWidth;
      });
      if (!fits) tooWide.push(name);
    };
    await inEachDialog(opened, check);
    await openConflict(opened, guild);
    await check("a conflict");
    expect(tooWide).toEqual([]);
  });

  test("is usable by touch at 360 pixels: an event is created and moved in its form", async () => {
    const guild = await service.newGuild();
    const { page, dialog, button } = await service.open(guild, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await button("New event").first().tap();
    await dialog().getByLabel("Name").fill("Raid night");
    await dialog().getByRole("button", { name: "Create" }).tap();
    await button(/Raid night/).tap();
    await dialog().getByLabel("Start").fill("18:30");
    await dialog().getByRole("button", { name: "Save" }).tap();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await expect(button(/Raid night.*18:30/).waitFor()).resolves.toBeUndefined();
  });

  test("is usable by touch at 360 pixels: an announcement is created and its post's story opened", async () => {
    const guild = await service.newGuild();
    await guild.event(new Date(Date.now() + 108_000_000).toISOString(), { name: "Raid night" });
    const { page, dialog, button } = await service.open(guild, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await page.getByRole("link", { name: "Announcements" }).tap();
    await button("New announcement").tap();
    await dialog().getByLabel("Channel").fill("381142957109346304");
    await dialog().getByRole("button", { name: "Create" }).tap();
    await dialog().locator(".preview-content").filter({ hasText: "as saved." }).waitFor();
    await dialog().getByRole("button", { name: "Close" }).tap();
    await page.getByRole("link", { name: "Timeline of posts" }).tap();
    await button(/Raid night.*planned/).tap();
    await expect(dialog().getByText("It will be posted when it is due.").waitFor()).resolves.toBeUndefined();
  });
});
