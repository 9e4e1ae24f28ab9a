import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ServiceSchema } from "moleculer";
import mongoose from "mongoose";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { createAnnouncement } from "../../services/contracts/announcements.contract.ts";
import { createEvent } from "../../services/contracts/calendar-events.contract.ts";
import { listPostHistory, listUpcomingPosts, type SettledPost } from "../../services/contracts/dispatch.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { discordSink } from "../../services/dispatch/sinks/discord/discord.sink.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { restoreBackup } from "../../services/launch/backup/restore-backup.ts";
import { setRestoreMark } from "../../services/launch/backup/restore-mark.ts";
import { openSnapshot } from "../../services/launch/backup/snapshot.ts";
import { writeBackup } from "../../services/launch/backup/write-backup.ts";
import { recordSchemaVersion } from "../../services/launch/run/schema-version.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { newRecordingSink } from "../fixtures/recording-sink.ts";
import { type ChatServer, startChatServer } from "../harness/chat-server.ts";
import { removeFolder } from "../harness/remove-folder.ts";
import { emptyDatabase, startTestServices, type TestServices } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";

/** The guild, and its first channel. */
const GUILD = "375357265198317579" as GuildId;
const HOUR = 3_600_000;
/** Neither dispatch nor the server recognises a repeated message, so every second send would be visible. */
const NONCE_WINDOW_MS = 0;

describe("posts after a restore from a backup", () => {
  let folder: string;
  let server: ChatServer;
  const log = newRecordingSink();
  const connections: mongoose.Connection[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guildcal-restored-"));
    server = await startChatServer({ nonceWindowMs: NONCE_WINDOW_MS });
    server.addChannel(GUILD, { guild: GUILD });
  });
  afterAll(async () => {
    await Promise.all(connections.map((each) => each.close()));
    await server.stop();
    await removeFolder(folder);
  });

  function dispatch(mongoUrl: string): ServiceSchema {
    const { url: apiUrl, token } = server;
    const discord = discordSink({ apiUrl, token, botUrl: "https://example.com", requestsPerSecond: 50 });
    const timing = { nonceWindowMs: NONCE_WINDOW_MS };
    return dispatchService({ mongoUrl, sinks: [discord, log], graceMs: 900_000, timing });
  }

  const owners = (mongoUrl: string) => [
    guildSettingsService({ mongoUrl }),
    calendarEventsService({ mongoUrl }),
    announcementsService({ mongoUrl }),
  ];

  async function connect(mongoUrl: string): Promise<mongoose.Connection> {
    const options = { autoIndex: false, autoCreate: false } as const;
    const connection = await mongoose.createConnection(mongoUrl, options).asPromise();
    connections.push(connection);
    return connection;
  }

  async function withDispatch<Result>(services: TestServices, work: () => Promise<Result>): Promise<Result> {
    const service = services.broker.createService(dispatch(services.mongoUrl));
    await services.broker.waitForServices("dispatch", 60_000, 20);
    try {
      return await work();
    } finally {
      await services.broker.destroyService(service);
    }
  }

  async function event(services: TestServices, name: string, startsAt: number): Promise<string> {
    const times = { startsAt, endsAt: startsAt + HOUR };
    return (await services.call(createEvent, { guildId: GUILD, calendarNumber: 1, name, ...times })).eventId;
  }

  const history = (services: TestServices): Promise<SettledPost[]> =>
    services.call(listPostHistory, { guildId: GUILD, amount: -1 });
  const settled = (services: TestServices, count: number) =>
    until(async () => (await history(services)).length >= count, `${count} settled posts`, 40_000);
  const sentTo = (name: string) => ({
    discord: server.messages(GUILD).filter(({ embeds }) => embeds?.[0]?.title === name).length,
    log: log.received.filter(({ message }) => message.embeds[0]?.title === name).length,
  });

  test("are sent if the channel proves that they are absent; others are recorded, and none is sent twice", async () => {
    const lost = await startTestServices(owners);
    const now = Date.now();
    await Promise.all(SERVICES.map((service) => recordSchemaVersion(lost.mongoUrl, service)));
    await lost.call(createAnnouncement, {
      guildId: GUILD,
      channel: GUILD,
      type: "UNIVERSAL",
      hours: 0,
      minutes: 0,
      info: "",
    });
    const dueAt = { planned: now + 9_000, unplanned: now + 11_000, neverSent: now + 25_000 };
    await event(lost, "planned", dueAt.planned);
    await event(lost, "never sent", dueAt.neverSent);
    const upcoming = async () => (await lost.call(listUpcomingPosts, { guildId: GUILD, amount: -1 })).posts.length;
    await withDispatch(lost, () => until(async () => (await upcoming()) === 2, "both events are planned", 20_000));
    await event(lost, "unplanned", dueAt.unplanned);

    const backup = await writeBackup(folder, await openSnapshot(await connect(lost.mongoUrl)));
    expect(Date.now()).toBeLessThan(dueAt.planned);

    await withDispatch(lost, () => settled(lost, 4));
    expect([sentTo("planned"), sentTo("unplanned"), sentTo("never sent")]).toEqual([
      { discord: 1, log: 1 },
      { discord: 1, log: 1 },
      { discord: 0, log: 0 },
    ]);
    await lost.stop();
    await until(() => Date.now() > dueAt.neverSent, "the last post is due", 30_000);

    const mongoUrl = emptyDatabase();
    const { postsInDoubt } = await restoreBackup(await connect(mongoUrl), backup.path, async () => undefined);
    expect(postsInDoubt).toBe(4);
    const restored = await startTestServices((url) => [...owners(url), dispatch(url)], [], mongoUrl);
    await settled(restored, 6);
    const posts = await history(restored);
    const outcomes = (startsAt: number) =>
      posts
        .filter((post) => post.startsAt === startsAt)
        .map(({ state, lateMs = Infinity, reasonCode }) => `${state} ${lateMs > 5_000 ? reasonCode : "in time"}`)
        .toSorted();
    expect(outcomes(dueAt.planned)).toEqual(["sent RESTORED", "unknown RESTORED"]);
    expect(outcomes(dueAt.neverSent)).toEqual([expect.stringMatching(/^sent /), "unknown RESTORED"]);
    expect(outcomes(dueAt.unplanned)).toEqual(["skipped RESTORED", "skipped RESTORED"]);
    expect([sentTo("planned"), sentTo("unplanned"), sentTo("never sent")]).toEqual([
      { discord: 1, log: 1 },
      { discord: 1, log: 1 },
      // The log can't be searched.
      { discord: 1, log: 0 },
    ]);
    const inSeconds = (at: number) => new Date(Math.floor(at / 1_000) * 1_000).toISOString();
    const unknown = posts.find(({ state }) => state === "unknown");
    expect(unknown?.reason).toContain("the data were restored from a backup without the outcomes from ");
    expect(unknown?.reason).toContain(` from ${inSeconds(Date.parse(backup.manifest.moment))} to `);
    await restored.stop();
  }, 150_000);

  test("a service does not start before the restore is finished", async () => {
    const mongoUrl = emptyDatabase();
    const connection = await connect(mongoUrl);
    await setRestoreMark(connection, "an id");
    for (const service of SERVICES) {
      await expect(recordSchemaVersion(mongoUrl, service)).rejects.toThrow(
        `The restore of the data of ${service} is not finished`,
      );
    }
  });
});
