import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { ConsoleUnderTest, type Guild, type OpenConsole } from "./console-under-test.ts";

const PAGES = [
  "calendar/month",
  "calendar/week",
  "calendar/agenda",
  "timeline",
  "announcements",
  "settings",
  "webhooks",
  "feeds",
  "keys",
];
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const MAX_BYTES = 200_000;

const HOSTILE = `</script><img src=x onerror="globalThis.ran=1"><svg onload=globalThis.ran=1>{{1}}\${1}&#39;"'\u202e`;
const HOUR_MS = 3_600_000;
const today = new Date().toISOString().slice(0, 10);
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** Opens each page of the console, and calls the check when the page has been read. */
async function onEachPage({ page, go }: OpenConsole, check: (location: string) => Promise<void>): Promise<void> {
  for (const location of PAGES) {
    await go(location.startsWith("calendar") ? `${location}/${today}` : location);
    await page.locator(`nav a[aria-current="page"][href^="#${location.split("/")[0]}"]`).waitFor();
    await page.locator('main[aria-busy="false"]').waitFor();
    await check(location);
  }
}

/** The rules of WCAG that the page breaks, with the elements. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  // By the debugger, since the policy of the page refuses scripts of others.
  await page.evaluate(axe.source);
  return page.evaluate(async (tags) => {
    const { axe: inPage } = globalThis as unknown as { readonly axe: typeof axe };
    const { violations } = await inPage.run({ runOnly: { type: "tag", values: tags } });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, RULES);
}

/** A guild with an event in every view, announcements and posts; texts are hostile or usual ones. */
async function fill(guild: Guild, text: string): Promise<void> {
  const usual = { name: text, description: text, location: text, image: "https://example.org/x.png?<script>" };
  await guild.post("/v2/guild/settings/update", { max_calendars: 2 });
  await guild.post("/v2/calendar/update", { calendar_number: 1, name: text.slice(0, 60) });
  await guild.event(new Date(Date.now() + HOUR_MS + 1_000).toISOString(), { ...usual, color: "RED" });
  await guild.event(inHours(30), { ...usual, recur: true, recurrence: { frequency: "DAILY", count: 3 } });
  await guild.event("", { ...usual, all_day: true, start_date: today });
  await guild.post("/v2/calendar/feeds/create", { calendar_number: 1, label: text.slice(0, 100) });
  await guild.post("/v2/webhooks/create", { url: "https://bot.example/guildcal", types: ["event.created"] });
  await guild.post("/v1/announcement/create", {
    channel: "381142957109346304",
    type: "UNIVERSAL",
    hours: 1,
    minutes: 0,
    info: `${text} **b** <t:1:F> @everyone`,
    subscribers_role: ["everyone"],
  });
}

describe("the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  test("runs nothing of hostile texts, in every page, dialog and form, and shows them as they are", async () => {
    const guild = await service.newGuild();
    await fill(guild, HOSTILE);
    const opened = await service.open(guild, { locale: "en-GB" });
    const { page, dialog, go, button } = opened;
    await onEachPage(opened, async () => expect(await page.locator("main img, main svg").count()).toBe(0));
    await go(`calendar/month/${today}`);
    await page.locator("[data-entry]").first().click();
    expect(await dialog().getByLabel("Description").inputValue()).toBe(HOSTILE);
    await page.keyboard.press("Escape");
    await go("announcements");
    await page.locator("[data-announcement]").click();
    await dialog().locator(".embed-title").first().waitFor();
    expect(await dialog().locator(".embed-title").first().innerText()).toContain("onerror");
    await page.keyboard.press("Escape");
    await go("timeline");
    await button(/onerror.*planned|onerror.*sent/)
      .first()
      .click();
    await dialog().waitFor();
    await page.keyboard.press("Escape");
    // The same texts, typed into every field of the form of an event.
    await go(`calendar/month/${today}`);
    await button("New event").first().click();
    for (const label of ["Name", "Location", "Description", "Link to an image"]) {
      await dialog().getByLabel(label).fill(HOSTILE);
    }
    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog().locator('[data-field="image"] .problem').filter({ hasText: "must be" }).waitFor();
    expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
    expect(await page.locator("img, iframe, object, script:not([src])").count()).toBe(0);
  });

  test("does not run a script that something puts into the page", async () => {
    const { page, problems } = await service.open(await service.newGuild());
    await page.evaluate(() => {
      const script = document.createElement("script");
      try {
        script.textContent = "globalThis.ran = 1";
      } catch {
        // Trusted types refuse the text.
      }
      document.body.append(script);
      try {
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=globalThis.ran=1>");
      } catch {
        // Trusted types refuse HTML.
      }
    });
    expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
    expect(problems.length).toBeGreaterThan(0);
    (problems as string[]).length = 0;
  });

  test.each([
    ["light", 1100],
    ["dark", 1100],
    ["light", 360],
    ["dark", 360],
  ] as const)("has no violation of WCAG 2.2 AA that axe finds, in %s, %d pixels wide", async (colorScheme, width) => {
    const guild = await service.newGuild();
    await fill(guild, "Raid night");
    const opened = await service.open(guild, { colorScheme, viewport: { width, height: 800 } });
    const { page, dialog, button, go } = opened;
    const found: string[] = [];
    const check = async (place: string) => {
      found.push(...(await violationsOf(page)).map((violation) => `${place}: ${violation}`));
    };
    await onEachPage(opened, check);
    await go(`calendar/agenda/${today}`);
    await page.locator("[data-entry]").first().click();
    await dialog().getByLabel("Name").waitFor();
    await check("the form of an event");
    await page.keyboard.press("Escape");
    await go("timeline");
    await page.locator(".post").first().click();
    await check("the story of a post");
    await page.keyboard.press("Escape");
    await go("announcements");
    await page.locator("[data-announcement]").click();
    await dialog().locator(".embed-title").first().waitFor();
    await check("the form of an announcement");
    await page.keyboard.press("Escape");
    await button("Sign out").click();
    await page.locator('input[name="key"]').waitFor();
    await check("the sign-in");
    expect(found).toEqual([]);
  });

  test("needs no scrolling to the side at 360 pixels", async () => {
    const guild = await service.newGuild();
    await fill(guild, "A very long name without any end ".repeat(6).replaceAll(" ", "_"));
    const opened = await service.open(guild, { viewport: { width: 360, height: 740 } });
    const { page, dialog, go } = opened;
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await onEachPage(opened, async (location) => expect([location, await width()]).toEqual([location, 360]));
    await go(`calendar/agenda/${today}`);
    await page.locator("[data-entry]").first().click();
    await dialog().getByLabel("Name").waitFor();
    expect(await dialog().evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
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

  test("loads less than 200 kB, all of it from the service", async () => {
    const opened = await service.openPage();
    const { page } = opened;
    const bytes = await page.evaluate(() =>
      (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).reduce(
        (sum, { transferSize }) => sum + transferSize,
        0,
      ),
    );
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });
});
