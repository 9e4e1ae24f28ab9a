import { join } from "node:path";
import { chromium, type Locator, type Page } from "playwright-core";
import { fillDemoGuild } from "../../services/launch/cli/demo-guild.ts";
import { post } from "../harness/guildcal-process.ts";

/*
 * Fills the guild, and writes pictures of its month, its timeline and an announcement in the console. A program of its own, because
 * only this folder has the package that drives a browser.
 *
 * node take-console-pictures.ts BROWSER BASE_URL KEY GUILD FOLDER
 */
const [browser = "", baseUrl = "", key = "", guild = "", folder = ""] = process.argv.slice(2);

async function takeConsolePictures(): Promise<void> {
  await fillDemoGuild(async (path, fields) => {
    const { status, body } = await post(baseUrl, key, path, { guild_id: guild, ...fields });
    if (status !== 200) throw new Error(`${path} returned ${status}: ${JSON.stringify(body)}`);
    return body;
  }, Date.now());
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const chrome = await chromium.launch({ executablePath: browser, args });
  try {
    const viewport = { width: 1_100, height: 860 };
    const page = await chrome.newPage({ viewport, locale: "en-GB", timezoneId: "UTC", colorScheme: "light" });
    await page.goto(`${baseUrl}/console#calendar/month`);
    await page.locator('input[name="key"]').fill(key);
    await page.locator('input[name="guild_id"]').fill(guild);
    await page.locator('button[type="submit"]').click();
    await page.locator("[data-entry]").first().waitFor();
    await page.screenshot({ path: join(folder, "console.png"), fullPage: true });
    await showTimeline(page);
    await page.screenshot({ path: join(folder, "console-timeline.png") });
    await page.setViewportSize({ width: 1_100, height: 760 });
    const announcement = await openAnnouncement(page);
    await announcement.screenshot({ path: join(folder, "console-announcement.png") });
  } finally {
    await chrome.close();
  }
}

async function showTimeline(page: Page): Promise<void> {
  await page.goto(`${baseUrl}/console#timeline`);
  await page.getByRole("button", { name: /Dungeon run.*sent/ }).waitFor();
}

/** Opens the announcement of the raids, and types a text that its message shows before it is saved. */
async function openAnnouncement(page: Page): Promise<Locator> {
  await page.goto(`${baseUrl}/console#announcements`);
  await page
    .getByRole("button", { name: /Raid night/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Additional information").first().fill("Bring **potions** and flasks.");
  const message = dialog.locator(".preview-content").filter({ hasText: "not saved yet." });
  await message.filter({ hasText: "flasks" }).waitFor();
  return dialog;
}

await takeConsolePictures();
