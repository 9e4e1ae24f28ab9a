import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ChatSink, startChatSink } from "../../../../test/harness/chat-sink.ts";
import { startTestServices, type TestServices } from "../../../../test/harness/test-services.ts";
import { until } from "../../../../test/harness/until.ts";
import { announcementsService } from "../../../announcements/announcements.service.ts";
import { calendarEventsService } from "../../../calendar-events/calendar-events.service.ts";
import { createAnnouncement } from "../../../contracts/announcements.contract.ts";
import { createEvent } from "../../../contracts/calendar-events.contract.ts";
import { listPostHistory, type SettledPost } from "../../../contracts/dispatch.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { guildSettingsService } from "../../../guild-settings/guild-settings.service.ts";
import { dispatchService } from "../../dispatch.service.ts";

/** Posts in one channel at one instant: several times the channel's limit. */
const BUSY = 12;

describe("announcements on a chat server that behaves as Discord does", () => {
  let chat: ChatSink;
  let services: TestServices;

  beforeAll(async () => {
    chat = await startChatSink({ limits: { perMs: 1_000 } });
    services = await startTestServices((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [chat.sink], graceMs: 900_000, timing: { nonceWindowMs: 4_000 } }),
    ]);
  });
  afterAll(async () => {
    await services.stop();
    await chat.stop();
  });

  /** Announces an event that starts soon in the guild's first channel; returns the settled posts. */
  async function announce(channel: string, subscribersUser: string[] = []): Promise<SettledPost | undefined> {
    const guildId = channel as GuildId;
    const rule = { type: "UNIVERSAL", hours: 0, minutes: 0, info: "", subscribersUser } as const;
    await services.call(createAnnouncement, { guildId, channel, ...rule });
    const startsAt = Date.now() + 1_500;
    const times = { startsAt, endsAt: startsAt + 3_600_000 };
    await services.call(createEvent, { guildId, calendarNumber: 1, name: `raid ${channel}`, ...times });
    const history = () => services.call(listPostHistory, { guildId, amount: -1 });
    await until(async () => (await history()).length > 0, "settled", 30_000);
    return (await history())[0];
  }

  test("a post whose response was lost is there once, and its id is known", async () => {
    chat.server.script({ kind: "reset", accepted: true });
    const post = await announce("1");
    expect(chat.server.messages("1")).toMatchObject([{ embeds: [{ title: "raid 1" }] }]);
    expect(post).toMatchObject({ state: "sent", messageId: chat.server.messages("1")[0]?.id });
  });

  test("a post is sent after failures of the receiver", async () => {
    chat.server.script({ kind: "response", response: { status: 503, body: {} } });
    chat.server.script({ kind: "garbage", accepted: false });
    expect(await announce("2")).toMatchObject({ state: "sent" });
    expect(chat.server.messages("2")).toHaveLength(1);
  });

  test("a refusal by the channel is recorded with Discord's reason", async () => {
    chat.server.setChannel("3", { refuses: "noPermission" });
    expect(await announce("3")).toMatchObject({ state: "failed", reason: "HTTP 403 50013 Missing Permissions" });
  });

  const refusal = { status: 403, body: { code: 50013, message: "Missing Permissions" } };

  test("a post that is refused after a delivery with a lost response is looked up", async () => {
    chat.server.script({ kind: "reset", accepted: true });
    chat.server.script({ kind: "response", response: refusal });
    const post = await announce("5");
    expect(post).toMatchObject({ state: "sent", messageId: chat.server.messages("5")[0]?.id });
    expect(chat.server.messages("5")).toHaveLength(1);
  });

  test("the remaining parts of a post are sent if a lookup shows that they are absent", async () => {
    const subscribers = Array.from({ length: 150 }, (_, at) => String(700_000_000_000_000_000n + BigInt(at)));
    const lookUps = () => chat.server.requests.filter(({ path }) => path.includes("/channels/9/messages?"));
    chat.server.script({ kind: "slow", ms: 0 });
    chat.server.script({ kind: "response", response: { status: 503, body: {} } }, 1_000);
    const settled = announce("9", subscribers);
    await until(() => lookUps().length > 0, "looked up", 20_000);
    chat.server.calm();
    expect(await settled).toMatchObject({ state: "sent" });
    expect(chat.server.messages("9").flatMap(({ pings }) => pings.users)).toEqual(subscribers);
  });

  test("a post that is refused after an attempt without delivery is tried once more, and failed", async () => {
    chat.server.say("6", "person", "hello");
    chat.server.script({ kind: "reset", accepted: false });
    chat.server.script({ kind: "response", response: refusal }, 2);
    expect(await announce("6")).toMatchObject({ state: "failed", reason: "HTTP 403 50013 Missing Permissions" });
    expect(chat.server.messages("6")).toHaveLength(1);
  });

  test("subscribers in more messages than the bucket allows are all pinged once, over several resets of the limit", async () => {
    const subscribers = Array.from({ length: 600 }, (_, at) => String(600_000_000_000_000_000n + BigInt(at)));
    expect(await announce("4", subscribers)).toMatchObject({ state: "sent" });
    expect(chat.server.messages("4").flatMap(({ pings }) => pings.users)).toEqual(subscribers);
    expect(chat.server.messages("4").length).toBeGreaterThan(5);
    expect(chat.server.requests.filter(({ status }) => status === 429)).toEqual([]);
  });

  test("a channel with more posts than its limit allows gets them over time, and delays no other channel", async () => {
    const startsAt = Date.now() + 3_000;
    const guildIds = ["70", "80"] as GuildId[];
    const make = async (guildId: GuildId, events: number) => {
      const rule = { type: "UNIVERSAL", hours: 0, minutes: 0, info: "", channel: guildId } as const;
      await services.call(createAnnouncement, { guildId, ...rule });
      const times = { startsAt, endsAt: startsAt + 3_600_000 };
      const create = (_: unknown, at: number) =>
        services.call(createEvent, { guildId, calendarNumber: 1, name: `event ${at}`, ...times });
      await Promise.all(Array.from({ length: events }, create));
    };
    await Promise.all([make("70" as GuildId, BUSY), make("80" as GuildId, 1)]);
    const settled = async () => {
      const histories = guildIds.map((guildId) => services.call(listPostHistory, { guildId, amount: -1 }));
      return (await Promise.all(histories)).flat();
    };
    await until(async () => (await settled()).length > BUSY, "settled", 30_000);
    expect((await settled()).every(({ state }) => state === "sent")).toBe(true);
    const channels = chat.server.messages().map(({ channel }) => channel);
    expect(channels.filter((channel) => channel === "70")).toHaveLength(BUSY);
    expect(channels.indexOf("80")).toBeLessThan(channels.lastIndexOf("70"));
    expect(chat.server.requests.filter(({ status }) => status === 429)).toEqual([]);
  });
});
