import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { until } from "../harness/until.ts";
import { ConsoleUnderTest, type Guild, OPERATOR_KEY } from "./console-under-test.ts";

const HOUR_MS = 3_600_000;
/** The longest page has fewer places for the focus. */
const MAX_TABS = 150;

/** Uses a page by the keyboard alone. */
function keyboardOf(page: Page) {
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** The name of the element with the focus, as a reader of screens says it. */
  const focused = () =>
    page.evaluate(() => {
      const node = document.activeElement as HTMLInputElement | null;
      const label = node?.getAttribute("aria-label") ?? node?.labels?.[0]?.innerText;
      return (label ?? node?.innerText ?? "").trim();
    });
  /** Presses Tab until an element with this name has the focus. */
  const tabTo = async (name: string | RegExp) => {
    const isNamed = (text: string) => (typeof name === "string" ? text === name : name.test(text));
    for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
      if (isNamed(await focused())) return;
      await press("Tab");
    }
    throw new Error(`Tab does not reach ${String(name)}`);
  };
  const activate = async (name: string | RegExp) => {
    await tabTo(name);
    await press("Enter");
  };
  const type = async (name: string | RegExp, text: string) => {
    await tabTo(name);
    await press("ControlOrMeta+A");
    await page.keyboard.type(text);
  };
  return { press, focused, tabTo, activate, type };
}

describe("with the keyboard alone", () => {
  let service: ConsoleUnderTest;
  let guild: Guild;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  /** Signs in, and opens a page of the navigation. */
  async function open(name: string) {
    guild = await service.newGuild();
    return openAgain(name);
  }

  async function openAgain(name: string) {
    const opened = await service.openPage();
    const keyboard = keyboardOf(opened.page);
    await keyboard.type("API key", OPERATOR_KEY);
    await keyboard.type("Guild id", guild.id);
    await keyboard.press("Enter");
    await opened.page.getByRole("navigation").waitFor();
    const visit = async (title: string) => {
      await keyboard.activate(title);
      await opened.page.locator('nav a[aria-current="page"]').filter({ hasText: title }).waitFor();
      await opened.page.locator('main[aria-busy="false"]').waitFor();
    };
    await visit(name);
    return {
      ...opened,
      ...keyboard,
      visit,
      done: (text: string) => opened.page.getByText(text, { exact: true }).waitFor(),
    };
  }

  test("an event is created, opened from the day's list, changed, and deleted", async () => {
    const { page, dialog, button, done, focused, press, activate, type } = await open("Calendar");
    await activate("New event");
    await type("Name", "Raid night");
    await press("Enter");
    await done("Created.");
    await until(async () => (await focused()) !== "", "the focus is in the page");
    await activate(/Raid night,/);
    await type("Location", "Molten Core");
    await press("Enter");
    await done("Saved.");
    await activate(/Raid night,/);
    await activate("Delete");
    await activate("Delete the event");
    await done("Deleted.");
    await button(/Raid night/).waitFor({ state: "detached" });
    await until(async () => (await dialog().count()) === 0, "the dialog is closed");
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
  });

  test("the views and the weeks are changed, and an event of a series is cancelled alone", async () => {
    guild = await service.newGuild();
    const start = new Date(Math.floor(Date.now() / HOUR_MS + 1) * HOUR_MS).toISOString();
    await guild.event(start, { name: "Raid night", recur: true, recurrence: { frequency: "WEEKLY", count: 3 } });
    const { page, done, button, activate } = await openAgain("Calendar");
    await activate("Agenda");
    await page.locator('main[aria-busy="false"]').waitFor();
    await button(/Raid night,/)
      .first()
      .waitFor();
    await activate("Week");
    await activate("Later");
    await button(/Raid night,/).waitFor();
    await activate(/Raid night,/);
    await activate("Delete");
    await activate("This occurrence");
    await done("Deleted.");
    await button(/Raid night,/).waitFor({ state: "detached" });
    await activate("Later");
    await expect(button(/Raid night,/).waitFor()).resolves.toBeUndefined();
  });

  test("an announcement is created with its message, and deleted; a post's story is opened, and the focus returns", async () => {
    const { page, dialog, button, done, focused, press, activate, type, tabTo, visit } = await open("Announcements");
    await guild.event(new Date(Date.now() + 30 * HOUR_MS).toISOString(), { name: "Raid night" });
    await activate("New announcement");
    await type("Channel", "381142957109346304");
    await type("Additional information", "Bring potions");
    await tabTo("Create");
    await press("Space");
    await dialog().locator(".preview-content").filter({ hasText: "as saved." }).waitFor();
    await press("Escape");
    await visit("Timeline of posts");
    await button(/Raid night.*planned/).waitFor();
    await tabTo(/^.\s*planned 1/);
    await press("Space");
    await activate(/Raid night.*planned/s);
    await dialog().getByText("It will be posted when it is due.").waitFor();
    await press("Escape");
    await until(async () => /Raid night.*planned/s.test(await focused()), "the focus returns to the post");
    await visit("Announcements");
    await activate(/All events/);
    await activate("Delete");
    await activate("Delete");
    await done("Deleted.");
    await page.getByText("No announcements.").waitFor();
    expect(await guild.post("/v1/announcement/list", { amount: -1 })).toMatchObject({ announcements: [] });
  });

  test("the settings are changed, and a conflict is decided", async () => {
    const { page, dialog, done, press, activate, type, tabTo } = await open("Settings");
    await tabTo("Short posts");
    await press("Space");
    await activate("Save");
    await done("Saved.");
    await guild.post("/v2/guild/settings/update", { prefix: "?" });
    await type("Role for the bot (id or everyone)", "everyone");
    await guild.post("/v2/guild/settings/update", { prefix: "$" });
    await activate("Save");
    await dialog()
      .getByRole("row", { name: /Prefix/ })
      .waitFor();
    await activate("Save my changes on top");
    await done("Saved.");
    expect(await guild.post("/v2/guild/settings/get")).toMatchObject({
      simple_announcements: true,
      prefix: "$",
      control_role: "everyone",
    });
  });

  test.each([
    ["Webhooks", "New webhook", "Address", "https://bot.example/x", "Delete", "No webhooks."],
    ["Feeds", "New feed", "Label", "Raid leaders", "Revoke", "No feeds."],
    ["API keys", "New key", "Label", "of the dashboard", "Revoke", undefined],
  ] as const)(
    "in %s one is created, its secret copied, and taken back",
    async (place, create, label, text, end, none) => {
      const { page, dialog, done, press, activate, type } = await open(place);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.baseUrl });
      await activate(create);
      await type(label, text);
      await press("Enter");
      await dialog().locator("[data-secret]").waitFor();
      await activate("Copy");
      await done("Copied.");
      await press("Escape");
      await activate(`${end}: ${text}`);
      await activate(end);
      await done("Done.");
      await page
        .getByText(none ?? "Revoked or expired")
        .first()
        .waitFor();
      expect(await dialog().count()).toBe(0);
    },
  );
});
