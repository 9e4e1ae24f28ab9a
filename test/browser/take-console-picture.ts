import { chromium } from "playwright-core";
import { fillDemoGuild } from "../../services/launch/cli/demo-guild.ts";
import { post } from "../harness/guildcal-process.ts";

/** A guild of its own: the post of another picture is not in its calendars. */
const GUILD = "375357265198317581";

/*
 * Fills a guild, and writes a picture of its month in the console. A program of its own, because only this folder has the package
 * that drives a browser.
 *
 * node take-console-picture.ts BROWSER BASE_URL KEY FILE
 */
const [browser = "", baseUrl = "", key = "", file = ""] = process.argv.slice(2);

async function takeConsolePicture(): Promise<void> {
  await fillDemoGuild(async (path, fields) => {
    const { status, body } = await post(baseUrl, key, path, { guild_id: GUILD, ...fields });
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
    await page.locator('input[name="guild_id"]').fill(GUILD);
    await page.locator('button[type="submit"]').click();
    await page.locator("[data-entry]").first().waitFor();
    await page.screenshot({ path: file });
  } finally {
    await chrome.close();
  }
}

await takeConsolePicture();
