import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Locator } from "playwright-core";
import { ConsoleUnderTest, type OpenConsole } from "./console-under-test.ts";
import { fill, inEachDialog, onEachPage, today } from "./filled-guild.ts";

const MAX_BYTES = 200_000;

const HOSTILE = `</script><img src=x onerror="globalThis.ran=1"><svg onload=globalThis.ran=1>{{1}}\${1}&#39;"'\u202e`;

describe("the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  /** Nothing of a text has become a part of the page. */
  async function expectNothingRan({ page }: OpenConsole): Promise<void> {
    expect(await page.evaluate(() => "ran" in globalThis)).toBe(false);
    expect(await page.locator("img, iframe, object, script:not([src])").count()).toBe(0);
  }

  test("runs nothing of hostile texts, in every page and dialog, and shows them as they are", async () => {
    const guild = await service.newGuild();
    await fill(guild, HOSTILE);
    await guild.post("/v2/guild/settings/update", { template: { title: HOSTILE.replaceAll(/[{}]/g, "") } });
    const opened = await service.open(guild, { locale: "en-GB" });
    const { page, dialog, go, button } = opened;
    await onEachPage(opened, async () => expect(await page.locator("main img, main svg").count()).toBe(0));
    await inEachDialog(opened, () => expectNothingRan(opened));
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
    await expectNothingRan(opened);
  });

  /** Types a hostile text into every field of a form that takes a text, and sends the form. */
  async function typeInto(form: Locator): Promise<number> {
    const fields = await form
      .locator('input[type="text"]:not([disabled]), textarea:not([disabled])')
      .filter({ visible: true })
      .all();
    for (const field of fields) {
      // As scripts and pasted texts do, without the maximum length of the field.
      await field.evaluate((node, text) => {
        (node as HTMLInputElement).value = text;
        node.dispatchEvent(new Event("input", { bubbles: true }));
        node.dispatchEvent(new Event("change", { bubbles: true }));
      }, HOSTILE);
    }
    const answer = form.page().waitForResponse(/\/(create|update)$/);
    await form
      .getByRole("button", { name: /^(Create|Save)$/ })
      .first()
      .click();
    await (await answer).finished();
    return fields.length;
  }

  test.each([
    [`calendar/month/${today}`, "New event", 4],
    ["announcements", "New announcement", 6],
    ["webhooks", "New webhook", 1],
    ["feeds", "New feed", 1],
    ["keys", "New key", 2],
  ])("runs nothing that is typed into the forms of %s (%s)", async (location, create, least) => {
    const guild = await service.newGuild();
    await guild.event(new Date(Date.now() + 7_200_000).toISOString(), { name: "Raid night" });
    const opened = await service.open(guild);
    await opened.go(location);
    await opened.button(create).first().click();
    expect(await typeInto(opened.dialog().locator("form"))).toBeGreaterThanOrEqual(least);
    await expectNothingRan(opened);
  });

  test("runs nothing that is typed into a digest and into the settings, and pings nobody by it", async () => {
    const guild = await service.newGuild();
    await guild.event(new Date(Date.now() + 7_200_000).toISOString(), { name: "Raid night" });
    const opened = await service.open(guild);
    const { page, dialog, button, go } = opened;
    await go("announcements");
    await button("New announcement").click();
    await dialog().getByLabel("Covers").selectOption("DIGEST");
    await typeInto(dialog().locator("form"));
    await dialog().getByLabel("Channel").fill("381142957109346304");
    for (const label of ["Roles to mention", "Users to mention"]) await dialog().getByLabel(label).fill("");
    await dialog().getByLabel("Additional information").first().fill(`${HOSTILE} @everyone <@1234567890>`);
    await dialog().getByLabel("Text if there is no event").fill(`${HOSTILE} @everyone`);
    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog().locator(".preview-content").filter({ hasText: "as saved." }).waitFor();
    await expectNothingRan(opened);
    const { announcements } = await guild.post("/v1/announcement/list", { amount: -1 });
    const [{ id }] = announcements as [{ id: string }];
    const { messages } = await guild.post("/v1/announcement/preview", { id });
    expect(messages).not.toHaveLength(0);
    for (const { allowed_mentions } of messages as { allowed_mentions: object }[]) {
      expect(Object.values(allowed_mentions).flat()).toEqual([]);
    }
    await page.keyboard.press("Escape");

    await go("settings");
    await page.locator('main[aria-busy="false"] [data-form="calendar 1"]').waitFor();
    for (const name of ["settings", "calendar 1"]) {
      expect(await typeInto(page.locator(`[data-form="${name}"]`))).toBeGreaterThanOrEqual(2);
    }
    await expectNothingRan(opened);
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
