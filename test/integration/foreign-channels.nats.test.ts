import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { createKey } from "../../services/contracts/api-keys.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { type ChatSink, startChatSink } from "../harness/chat-sink.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { until } from "../harness/until.ts";

/** Two guilds of one bot, with a channel each. */
const GUILDS = ["375357265198317579", "375357265198317580"] as const;
const CHANNEL_OF = new Map([
  [GUILDS[0], "381142957109346304"],
  [GUILDS[1], "381142957109346305"],
] as const);
/** A channel that does not exist. */
const UNKNOWN_CHANNEL = "381142957109346399";
type Guild = (typeof GUILDS)[number];

interface Planned {
  readonly announcement_id: string;
  readonly problem?: object;
}

interface Outcome {
  readonly state: string;
  readonly reason?: string;
}

describe("posts in channels of other guilds (D35)", () => {
  let chat: ChatSink;
  let gateway: TestGateway;
  const keys = new Map<Guild, string>();

  beforeAll(async () => {
    chat = await startChatSink();
    for (const [guild, channel] of CHANNEL_OF) chat.server.addChannel(channel, { guild });
    chat.server.setChannel(UNKNOWN_CHANNEL, { refuses: "unknown" });
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [chat.sink], graceMs: 60_000 }),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
    for (const guild of GUILDS) {
      const owner = { kind: "guild", access: "write", guilds: [guild as string as GuildId] } as const;
      keys.set(guild, (await gateway.call(createKey, { ...owner, label: guild })).key);
    }
  });
  afterAll(async () => {
    await gateway.stop();
    await chat.stop();
  });

  async function ask(guild: Guild, path: string, fields: object) {
    const response = await gateway.post(path, { guild_id: guild, ...fields }, { authorization: keys.get(guild)! });
    expect(response).toMatchObject({ status: 200 });
    return response.body;
  }

  /** Creates an announcement with @everyone in the channel, before its event starts soon, also on a busy machine; returns its id. */
  async function announce(guild: Guild, channel: string, startsIn = 6_000): Promise<string> {
    const start = Date.now() + startsIn;
    const times = { calendar_number: 1, epoch_start: start, epoch_end: start + 3_600_000 };
    const event = await ask(guild, "/v2/events/create", { ...times, name: `by ${guild}` });
    const rule = {
      type: "SPECIFIC",
      event_id: event["id"],
      hours: 0,
      minutes: 0,
      info: "",
      subscribers_role: ["everyone"],
    };
    return String((await ask(guild, "/v1/announcement/create", { ...rule, channel }))["id"]);
  }

  async function outcomeOf(guild: Guild, id: string): Promise<Outcome> {
    const history = async () => (await ask(guild, "/v1/announcement/history", { id }))["posts"] as Outcome[];
    await until(async () => (await history()).length > 0, "the post is settled", 30_000);
    return (await history())[0]!;
  }

  test.each([
    [GUILDS[0], GUILDS[1]],
    [GUILDS[1], GUILDS[0]],
  ])("a key of %s causes posts in its own guild's channel, and never in one of %s", async (own, other) => {
    const ids = await Promise.all([own, other].map((guild) => announce(own, CHANNEL_OF.get(guild)!)));
    expect(await outcomeOf(own, ids[0]!)).toMatchObject({ state: "sent" });
    expect(await outcomeOf(own, ids[1]!)).toMatchObject({
      state: "failed",
      reason: "the channel belongs to another guild",
    });
    const titlesIn = (guild: Guild) =>
      chat.server.messages(CHANNEL_OF.get(guild)).map(({ embeds }) => embeds[0]!["title"]);
    expect(titlesIn(own)).toContain(`by ${own}`);
    expect(titlesIn(other)).not.toContain(`by ${own}`);
  });

  test.each([
    ["another guild's channel", CHANNEL_OF.get(GUILDS[1])!, "CHANNEL_FOREIGN"],
    ["a channel that does not exist", UNKNOWN_CHANNEL, "CHANNEL_UNKNOWN"],
  ])("upcoming and preview name the problem of a post in %s", async (_what, channel, code) => {
    const [own] = GUILDS;
    const id = await announce(own, channel, 3_600_000);
    const problem = { code, message: expect.stringMatching(/^the channel /) };
    const problemOf = async () => {
      const posts = (await ask(own, "/v1/announcement/upcoming", { amount: -1 }))["posts"] as Planned[];
      return posts.find((post) => post.announcement_id === id)?.problem;
    };
    await until(async () => (await problemOf()) !== undefined, "upcoming names the problem", 30_000);
    expect(await problemOf()).toEqual(problem);
    expect((await ask(own, "/v1/announcement/preview", { id }))["problem"]).toEqual(problem);
  });

  test("preview names no problem of a post in the guild's own channel", async () => {
    const [own] = GUILDS;
    const id = await announce(own, CHANNEL_OF.get(own)!, 3_600_000);
    expect(await ask(own, "/v1/announcement/preview", { id })).not.toHaveProperty("problem");
  });
});
