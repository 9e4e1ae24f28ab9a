import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type ChatServer, startChatServer } from "../harness/chat-server.ts";
import { until } from "../harness/until.ts";
import { CHANNEL_REFUSALS } from "../harness/chat-server/responses.ts";
import { ConsoleUnderTest, type Guild, type OpenConsole } from "./console-under-test.ts";

const HOUR_MS = 3_600_000;
/** Time from the request to the due instant. A post that is due before its announcement is known would be skipped (D31). */
const DUE_IN_MS = 5_000;
/** A post may be tried for a minute here, and its outcome is looked up for some time after that. */
const OUTCOME = { timeout: 180_000 };

/** The response to a bot that has to wait. */
const waitSeconds = (seconds: number) => ({
  status: 429,
  headers: { "retry-after": String(seconds), "x-ratelimit-scope": "shared" },
  body: { message: "You are being rate limited.", retry_after: seconds, global: false },
});

const UNAVAILABLE = { status: 503, body: { message: "unavailable", code: 0 } };

describe("the timeline of posts to a receiver that does not take each at once", () => {
  let chat: ChatServer;
  let service: ConsoleUnderTest;
  let channels = 381_142_957_109_346_400n;

  beforeAll(async () => {
    chat = await startChatServer();
    const discord = { SINKS: "discord", DISCORD_TOKEN: chat.token, DISCORD_API_URL: chat.url };
    service = await ConsoleUnderTest.start({ ...discord, GRACE_MINUTES: "1" });
  });
  afterEach(async () => {
    chat.calm();
    chat.failReads(undefined);
    await service.closePages();
  });
  afterAll(async () => {
    await service.end();
    await chat.stop();
  });

  /** Opens the timeline of a guild with a post that is due in a few seconds; `prepare` scripts the receiver before. */
  async function openTimeline(prepare: () => void): Promise<OpenConsole & { guild: Guild; channel: string }> {
    const guild = await service.newGuild();
    channels += 1n;
    const channel = String(channels);
    chat.setGuild(guild.id, { name: "The Night Watch" });
    chat.addChannel(channel, { guild: guild.id });
    const opened = await service.open(guild);
    await opened.go("timeline");
    await opened.page.getByText("No posts.").waitFor();
    prepare();
    await guild.post("/v1/announcement/create", { channel, type: "UNIVERSAL", hours: 1, minutes: 0, info: "" });
    await guild.event(new Date(Date.now() + HOUR_MS + DUE_IN_MS).toISOString(), { name: "Raid night" });
    await opened.button(/Raid night.*planned/).waitFor();
    return { ...opened, guild, channel };
  }

  /** The story of the post, when it is of the kind. */
  const storyOf = async ({ button, dialog }: OpenConsole, kind: string) => {
    await button(new RegExp(`Raid night.*${kind}`)).click(OUTCOME);
    await dialog().waitFor();
    return dialog().innerText();
  };

  test("shows one that was late, and by how much", async () => {
    const opened = await openTimeline(() => chat.script({ kind: "response", response: waitSeconds(7) }));
    const story = await storyOf(opened, "late");
    expect(story).toMatch(/It was posted late\.[\s\S]*Late by\s+\d+/);
    expect(story).toContain("Message id");
    expect(chat.messages(opened.channel)).toHaveLength(1);
    await opened.page.keyboard.press("Escape");
    await opened.button(/^late 1/).waitFor();
  });

  test("shows one that the receiver refused, with its words", async () => {
    const refusal = CHANNEL_REFUSALS.moderated;
    const opened = await openTimeline(() => chat.script({ kind: "response", response: refusal }, 10));
    const story = await storyOf(opened, "failed");
    expect(story).toMatch(/It was not posted: the receiver refused it\.[\s\S]*Reason[\s\S]*automatic moderation/);
    expect(story).not.toContain("Message id");
    expect(chat.messages(opened.channel)).toHaveLength(0);
  });

  test("shows one whose time had passed, and why", async () => {
    const opened = await openTimeline(() => chat.script({ kind: "response", response: waitSeconds(300) }, 10));
    const story = await storyOf(opened, "missed");
    expect(story).toMatch(/It was not posted: its time had passed\.[\s\S]*Code of the reason\s+[A-Z_]+/);
    expect(chat.messages(opened.channel)).toHaveLength(0);
  });

  test("shows one that is in doubt while nothing proves that it arrived, and its outcome when it was found", async () => {
    const opened = await openTimeline(() => chat.script({ kind: "silence", accepted: true }, 50));
    await until(() => chat.messages(opened.channel).length === 1, "the message has arrived");
    chat.failReads(UNAVAILABLE);
    expect(await storyOf(opened, "in doubt")).toMatch(/the confirmation is missing\.[\s\S]*In doubt since/);
    await opened.page.keyboard.press("Escape");
    chat.calm();
    chat.failReads(undefined);
    expect(await storyOf(opened, "(late|sent)")).toContain("Message id");
    expect(chat.messages(opened.channel)).toHaveLength(1);
  }, 300_000);
});
