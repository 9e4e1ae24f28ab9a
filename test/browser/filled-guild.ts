import axe from "axe-core";
import type { Page } from "playwright-core";
import { until } from "../harness/until.ts";
import type { Guild, OpenConsole } from "./console-under-test.ts";

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

const HOUR_MS = 3_600_000;
export const today = new Date().toISOString().slice(0, 10);
export const WEBHOOK_URL = "https://bot.example/guildcal";
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** Opens each page of the console, and calls the check when the page has been read. */
export async function onEachPage({ page, go }: OpenConsole, check: (location: string) => Promise<void>): Promise<void> {
  for (const location of PAGES) {
    await go(location.startsWith("calendar") ? `${location}/${today}` : location);
    await page.locator(`nav a[aria-current="page"][href^="#${location.split("/")[0]}"]`).waitFor();
    await page.locator('main[aria-busy="false"]').waitFor();
    await check(location);
  }
}

/** Opens each kind of dialog, and calls the check while it is open; the guild is filled. */
export async function inEachDialog(opened: OpenConsole, check: (dialog: string) => Promise<void>): Promise<void> {
  const { page, dialog, button, go } = opened;
  const close = async () => {
    const dialogs = page.locator("dialog");
    const before = await dialogs.count();
    await page.keyboard.press("Escape");
    await until(async () => (await dialogs.count()) < before, "the dialog is closed");
  };
  const see = async (name: string) => {
    await dialog().waitFor();
    await check(name);
    await close();
  };
  const openPage = async (location: string) => {
    await go(location);
    await page.locator('main[aria-busy="false"]').waitFor();
  };

  await openPage(`calendar/agenda/${today}`);
  const series = page.locator("[data-entry]").filter({ hasText: "↻" }).first();
  await series.click();
  await dialog().getByLabel("Name").waitFor();
  await check("the form of an event");
  await dialog().getByRole("button", { name: "Delete" }).click();
  await dialog().getByRole("button", { name: "This occurrence" }).waitFor();
  await check("the question which occurrences to delete");
  await close();
  await close();

  await openPage("timeline");
  await page.locator(".post").first().click();
  await see("the story of a post");

  await openPage("announcements");
  await page.locator("[data-announcement]").click();
  await dialog().locator(".embed-title").first().waitFor();
  await dialog().getByLabel("Minutes before the start").fill("30");
  await dialog().locator("details summary").click();
  await check("the form of an announcement with its effect on the posts");
  await dialog().getByRole("button", { name: "Delete" }).click();
  await check("the question whether to delete an announcement");
  await close();
  await close();

  for (const [location, create] of [
    ["webhooks", "New webhook"],
    ["feeds", "New feed"],
    ["keys", "New key"],
  ] as const) {
    await openPage(location);
    await button(create).click();
    await see(`the form of ${location}`);
  }
  await openPage("webhooks");
  await button(`Rotate: ${WEBHOOK_URL}`).click();
  await dialog()
    .getByRole("button", { name: /24 hours/ })
    .waitFor();
  await check("the question how to rotate");
  await dialog()
    .getByRole("button", { name: /24 hours/ })
    .click();
  await dialog().locator("[data-secret]").waitFor();
  await see("the secret");
  await button(`Delete: ${WEBHOOK_URL}`).click();
  await see("the question whether to delete a webhook");
}

/** The form of an announcement that somebody else has changed, at the conflict (412). */
export async function openConflict({ page, dialog, go }: OpenConsole, guild: Guild): Promise<void> {
  await go("announcements");
  await page.locator("[data-announcement]").click();
  await dialog().getByLabel("Minutes before the start").fill("45");
  const { announcements } = await guild.post("/v1/announcement/list", { amount: -1 });
  const [{ id }] = announcements as [{ id: string }];
  await guild.post("/v1/announcement/update", { id, minutes: 15 });
  await dialog().getByRole("button", { name: "Save" }).click();
  await dialog().getByText("Somebody else has changed this").waitFor();
}

/** The rules of WCAG that the page breaks, with the elements. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
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
export async function fill(guild: Guild, text: string): Promise<void> {
  const usual = { name: text, description: text, location: text, image: "https://example.org/x.png?<script>" };
  await guild.post("/v2/guild/settings/update", { max_calendars: 2 });
  await guild.post("/v2/calendar/update", { calendar_number: 1, name: text.slice(0, 60) });
  await guild.event(new Date(Date.now() + HOUR_MS + 1_000).toISOString(), { ...usual, color: "RED" });
  await guild.event(inHours(30), { ...usual, recur: true, recurrence: { frequency: "DAILY", count: 3 } });
  await guild.event("", { ...usual, all_day: true, start_date: today });
  await guild.post("/v2/calendar/feeds/create", { calendar_number: 1, label: text.slice(0, 100) });
  await guild.post("/v2/webhooks/create", { url: WEBHOOK_URL, types: ["event.created"] });
  await guild.post("/v1/announcement/create", {
    channel: "381142957109346304",
    type: "UNIVERSAL",
    hours: 1,
    minutes: 0,
    info: `${text} **b** <t:1:F> @everyone`,
    subscribers_role: ["everyone"],
  });
}
