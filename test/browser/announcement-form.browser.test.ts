import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { ConsoleUnderTest } from "./console-under-test.ts";

const CHANNEL = "381142957109346304";
const HOUR_MS = 3_600_000;

describe("the form of an announcement", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  async function openForm(width: number, more: Readonly<Record<string, unknown>> = {}) {
    const guild = await service.newGuild();
    await guild.event(new Date(Date.now() + 10 * HOUR_MS).toISOString(), { name: "Raid night" });
    const fields = { channel: CHANNEL, type: "UNIVERSAL", hours: 1, minutes: 0, info: "Bring **potions** and water" };
    await guild.post("/v1/announcement/create", { ...fields, ...more });
    const { button, dialog, go } = await service.open(guild, { viewport: { width, height: 700 } });
    await go("announcements");
    await button(/All events/).click();
    const message = dialog().locator(".discord");
    await message.waitFor();
    return { dialog: dialog(), message };
  }

  const box = async (locator: Awaited<ReturnType<typeof openForm>>["message"]) => (await locator.boundingBox())!;

  test("has its message beside it on a wide page, in sight also at the end of the form", async () => {
    const { dialog, message } = await openForm(1_100);
    const channel = dialog.getByLabel("Channel");
    const { x, width } = await box(channel);
    expect((await box(message)).x).toBeGreaterThan(x + width);
    await dialog.getByRole("button", { name: "Save" }).scrollIntoViewIfNeeded();
    expect((await box(channel)).y).toBeLessThan(0);
    const { y, height } = await box(message);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(700);
  });

  test("has its message below it on a narrow page", async () => {
    const { dialog, message } = await openForm(800);
    const { y, height } = await box(dialog.getByRole("button", { name: "Save" }));
    expect((await box(message)).y).toBeGreaterThan(y + height);
  });

  test("shows bold words of a field within their line", async () => {
    const { message } = await openForm(1_100);
    const display = await message.locator("b.bold").evaluate((node) => getComputedStyle(node).display);
    expect(display).toBe("inline");
  });

  test("says why the post of a message will be skipped, or some of its posts", async () => {
    const pause = { paused_until: Date.now() + 9.5 * HOUR_MS };
    const { dialog } = await openForm(1_100, pause);
    const notices = (form: typeof dialog) => form.locator(".preview .notice").allInnerTexts();
    const skipped = /It will be skipped when it is due\. Reason: paused until .*\(announcement\)$/;
    await expect(notices(dialog)).resolves.toEqual([expect.stringMatching(skipped)]);
    const offsets = [-120, -60, 0].map((minutes) => ({ anchor: "START", minutes }));
    const several = await openForm(1_100, { ...pause, hours: undefined, minutes: undefined, offsets });
    await expect(notices(several.dialog)).resolves.toEqual([
      expect.stringMatching(/^2 h 0 min before the start: It will be skipped/),
      expect.stringMatching(/^1 h 0 min before the start: It will be skipped/),
    ]);
  });
});
