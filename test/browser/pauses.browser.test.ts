import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../harness/until.ts";
import { ConsoleUnderTest, type Guild } from "./console-under-test.ts";

const HOUR_MS = 3_600_000;
const LABEL = "Posts paused until";
const hoursAhead = (hours: number) => Math.floor(Date.now() / HOUR_MS + hours) * HOUR_MS;
/** An instant as the input has it: the guilds' calendars are in UTC. */
const inputText = (instant: number) => new Date(instant).toISOString().slice(0, 16);

describe("pauses in the console", () => {
  let service: ConsoleUnderTest;

  beforeAll(async () => {
    service = await ConsoleUnderTest.start();
  });
  afterEach(() => service.closePages());
  afterAll(() => service.end());

  /** A series of three days, announced an hour before each start. */
  const announcedSeries = async (guild: Guild) => {
    const start = hoursAhead(5);
    const recurrence = { frequency: "DAILY", count: 3 };
    const series = await guild.event(new Date(start).toISOString(), { name: "Raid night", recur: true, recurrence });
    const rule = { channel: "381142957109346304", type: "UNIVERSAL", hours: 1, minutes: 0, info: "" };
    const { id } = await guild.post("/v1/announcement/create", rule);
    return { start, series, id: String(id) };
  };

  test("of an announcement: the effect is shown, then the tag on its card and the skipped post on the timeline; it is ended again", async () => {
    const guild = await service.newGuild();
    const { start, id } = await announcedSeries(guild);
    const { page, button, dialog, go } = await service.open(guild);
    await go("announcements");
    await button(/All events/).click();
    const effect = dialog().getByRole("region", { name: "Effect on the posts" }).getByRole("status");
    await dialog().getByLabel(LABEL).fill(inputText(start));
    await effect.filter({ hasText: "removes 1 post." }).waitFor();
    await dialog().getByRole("button", { name: "Save" }).click();
    await effect.filter({ hasText: "nothing has been changed yet" }).waitFor();
    await page.keyboard.press("Escape");
    await button(/All events.*Paused until/).waitFor();
    expect(await guild.post("/v1/announcement/get", { id })).toMatchObject({ paused_until: start });

    await go("timeline");
    await button(/Raid night.*skipped.*paused until/).click();
    await dialog().getByText("It will be skipped when it is due.").waitFor();
    await page.keyboard.press("Escape");

    await go("announcements");
    await button(/All events/).click();
    await dialog().getByLabel(LABEL).fill("");
    await effect.filter({ hasText: "adds 1 post." }).waitFor();
    await dialog().getByRole("button", { name: "Save" }).click();
    await effect.filter({ hasText: "nothing has been changed yet" }).waitFor();
    expect(await guild.post("/v1/announcement/get", { id })).not.toHaveProperty("paused_until");
  });

  test("of a series, and not of one of its occurrences", async () => {
    const guild = await service.newGuild();
    const { start, series } = await announcedSeries(guild);
    const { button, dialog, go } = await service.open(guild);
    await go(`calendar/agenda/${inputText(start).slice(0, 10)}`);
    await button(/Raid night/)
      .first()
      .click();
    expect(await dialog().getByLabel(LABEL).isVisible()).toBe(false);
    await dialog().getByLabel("The whole series").check();
    await dialog()
      .getByLabel(LABEL)
      .fill(inputText(start + 24 * HOUR_MS));
    const effect = dialog().getByRole("region", { name: "Effect on the posts" }).getByRole("status");
    await effect.filter({ hasText: "removes 2 posts." }).waitFor();
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().waitFor({ state: "detached" });
    expect(await guild.post("/v2/events/get", { calendar_number: 1, event_id: series })).toMatchObject({
      paused_until: start + 24 * HOUR_MS,
    });
  });

  test("of the guild and of a calendar; a form that was not changed sends no pause", async () => {
    const guild = await service.newGuild();
    const { start } = await announcedSeries(guild);
    // The form shows whole minutes.
    await guild.post("/v2/calendar/update", { calendar_number: 1, paused_until: start + 1_234 });
    const { page, go } = await service.open(guild);
    await go("settings");
    const form = (name: string) => page.locator(`[data-form="${name}"]`);
    await form("settings")
      .getByLabel(LABEL)
      .fill(inputText(start + 24 * HOUR_MS));
    await form("settings").getByRole("status").filter({ hasText: "removes 1 post." }).waitFor();
    await form("settings").getByRole("button", { name: "Save" }).click();
    await form("settings").getByRole("status").filter({ hasText: "nothing has been changed yet" }).waitFor();
    expect(await guild.post("/v2/guild/settings/get")).toMatchObject({ paused_until: start + 24 * HOUR_MS });

    expect(await form("calendar 1").getByLabel(LABEL).inputValue()).toBe(inputText(start));
    await form("calendar 1").getByLabel("Name of the calendar").fill("Raids");
    await form("calendar 1").getByRole("button", { name: "Save" }).click();
    const calendar = () => guild.post("/v2/calendar/get", { calendar_number: 1 });
    await until(async () => (await calendar())["name"] === "Raids", "the name is saved");
    expect(await calendar()).toMatchObject({ paused_until: start + 1_234 });
  });
});
