import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ChatSink, startChatSink } from "../../../test/harness/chat-sink.ts";
import { startTestServices, type TestServices } from "../../../test/harness/test-services.ts";
import { until } from "../../../test/harness/until.ts";
import { announcementsService } from "../../announcements/announcements.service.ts";
import { calendarEventsService } from "../../calendar-events/calendar-events.service.ts";
import { createAnnouncement } from "../../contracts/announcements.contract.ts";
import { createEvent } from "../../contracts/calendar-events.contract.ts";
import {
  listPostHistory,
  listUpcomingPosts,
  type PostPreview,
  previewPost,
  type UpcomingPost,
} from "../../contracts/dispatch.contract.ts";
import { updateGuildSettings } from "../../contracts/guild-settings.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { guildSettingsService } from "../../guild-settings/guild-settings.service.ts";
import { dispatchService } from "../dispatch.service.ts";

const HOUR = 3_600_000;
const GUILD = "375357265198317579" as GuildId;
const OTHER_GUILD = "375357265198317580";

describe("the channels of planned posts on a chat server (D35)", () => {
  let chat: ChatSink;
  let services: TestServices;
  let channels = 400;

  beforeAll(async () => {
    chat = await startChatSink({ limits: { overall: 1_000 } }, { requestsPerSecond: 500 });
    chat.server.setGuild(GUILD, { name: "The Night Watch" });
    services = await startTestServices((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [chat.sink], graceMs: 900_000 }),
    ]);
    const startsAt = Date.now() + 2 * HOUR;
    const event = { calendarNumber: 1, name: "raid", startsAt, endsAt: startsAt + HOUR };
    await services.call(createEvent, { guildId: GUILD, ...event });
  });
  afterAll(async () => {
    await services.stop();
    await chat.stop();
  });

  /** A channel for one test, registered at the chat server. */
  function newChannel(place: Parameters<ChatSink["server"]["addChannel"]>[1] = { guild: GUILD }): string {
    channels += 1;
    chat.server.addChannel(String(channels), place);
    return String(channels);
  }

  async function announce(channel: string, subscribersRole: string[] = []): Promise<string> {
    const rule = { type: "UNIVERSAL", hours: 0, minutes: 0, info: "", subscribersRole } as const;
    return (await services.call(createAnnouncement, { guildId: GUILD, channel, ...rule })).id;
  }

  async function upcoming(id: string): Promise<UpcomingPost | undefined> {
    const { posts } = await services.call(listUpcomingPosts, { guildId: GUILD, amount: -1 });
    return posts.find(({ announcementId }) => announcementId === id);
  }

  function readsOf(channel: string): number {
    return chat.server.requests.filter(({ method, path }) => method === "GET" && path.endsWith(`/channels/${channel}`))
      .length;
  }

  async function checked(channel: string): Promise<void> {
    await until(() => readsOf(channel) > 0, "checked");
  }

  test.each([
    ["another guild's channel", { guild: OTHER_GUILD }, "CHANNEL_FOREIGN"],
    ["a category", { guild: GUILD, type: 4 }, "CHANNEL_UNSUITABLE"],
    [
      "a channel that the bot can't see",
      { guild: GUILD, overwrites: [{ id: GUILD, deny: ["VIEW_CHANNEL"] as const }] },
      "CHANNEL_UNREACHABLE",
    ],
    [
      "a channel in which the bot may not send embeds",
      { guild: GUILD, overwrites: [{ id: GUILD, deny: ["EMBED_LINKS"] as const }] },
      "PERMISSION_MISSING",
    ],
  ])("upcoming and preview have a problem if a post is planned in %s", async (_what, place, code) => {
    const id = await announce(newChannel(place));
    await until(async () => (await upcoming(id))?.problem !== undefined, "the post has a problem");
    expect((await upcoming(id))?.problem).toEqual({ code, message: expect.stringContaining("channel") });
    expect(await services.call(previewPost, { guildId: GUILD, id })).toMatchObject({ problem: { code } });
  });

  test("a post in a channel that the bot may use has no problem", async () => {
    const channel = newChannel();
    const id = await announce(channel, ["everyone"]);
    await until(async () => (await upcoming(id)) !== undefined, "planned");
    await checked(channel);
    expect(await upcoming(id)).not.toHaveProperty("problem");
    expect(await services.call(previewPost, { guildId: GUILD, id })).not.toHaveProperty("problem");
  });

  test("a mention that would notify nobody is a problem of its own announcement only", async () => {
    const channel = newChannel({ guild: GUILD, overwrites: [{ id: GUILD, deny: ["MENTION_EVERYONE"] }] });
    const [loud, quiet] = [await announce(channel, ["everyone"]), await announce(channel)];
    await until(async () => (await upcoming(loud))?.problem !== undefined, "the post has a problem");
    expect((await upcoming(loud))?.problem?.message).toContain("MENTION_EVERYONE");
    await until(async () => (await upcoming(quiet)) !== undefined, "the other one is planned");
    expect(await upcoming(quiet)).not.toHaveProperty("problem");
  });

  test("a channel of many posts and announcements is checked once", async () => {
    const channel = newChannel();
    const ids = await Promise.all([announce(channel), announce(channel), announce(channel)]);
    await until(async () => (await upcoming(ids[2])) !== undefined, "planned");
    await checked(channel);
    const sentinel = newChannel();
    await announce(sentinel);
    await checked(sentinel);
    expect(readsOf(channel)).toBe(1);
  });

  test("a solved problem disappears, from previews at once", async () => {
    const channel = newChannel({ guild: OTHER_GUILD });
    const id = await announce(channel);
    await until(async () => (await upcoming(id))?.problem !== undefined, "the post has a problem");
    chat.server.addChannel(channel, { guild: GUILD });
    const preview = () => services.call(previewPost, { guildId: GUILD, id });
    await until(async () => (await preview()).problem === undefined, "the preview has no problem");
    expect(await upcoming(id)).not.toHaveProperty("problem");
  });

  test("a branded guild's name is the author of its posts and previews (D33)", async () => {
    const caller = { keyId: "k", kind: "operator", access: "write", guilds: [] } as const;
    await services.call(updateGuildSettings, { guildId: GUILD, branded: true }, { caller });
    const channel = newChannel();
    const id = await announce(channel);
    const preview: PostPreview = await services.call(previewPost, { guildId: GUILD, id });
    expect(preview.messages[0]?.embeds?.[0]?.author).toEqual({ name: "The Night Watch" });
    const startsAt = Date.now() + 1_500;
    const event = { calendarNumber: 1, name: "branded", startsAt, endsAt: startsAt + HOUR };
    await services.call(createEvent, { guildId: GUILD, ...event });
    const history = () => services.call(listPostHistory, { guildId: GUILD, amount: -1, id });
    await until(async () => (await history()).length > 0, "posted");
    expect(chat.server.messages(channel)[0]?.embeds[0]).toMatchObject({
      title: "branded",
      author: { name: "The Night Watch" },
    });
  });
});
