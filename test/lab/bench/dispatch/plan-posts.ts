import type { Connection } from "mongoose";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../../../moleculer.config.ts";
import { announcementsService } from "../../../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../../../services/calendar-events/calendar-events.service.ts";
import { createAnnouncement } from "../../../../services/contracts/announcements.contract.ts";
import { createEvent } from "../../../../services/contracts/calendar-events.contract.ts";
import { until } from "../../../harness/until.ts";
import type { DuePost } from "./due-posts.ts";

const EVENT_MS = 3_600_000;
const MAX_PLANNING_MS = 120_000;
const WRITTEN_AT_ONCE = 32;

/** Creates the events and announcements of posts, and waits until another process has planned the posts. */
export async function planPosts(mongoUrl: string, connection: Connection, posts: readonly DuePost[]): Promise<void> {
  await writeEvents(mongoUrl, posts);
  const planned = () => connection.collection("posts").countDocuments({ sink: "discord" });
  await until(async () => (await planned()) >= posts.length, `${posts.length} posts are planned`, MAX_PLANNING_MS);
}

/** Creates an event for each post, and an announcement for each guild, by the owner services. */
async function writeEvents(mongoUrl: string, posts: readonly DuePost[]): Promise<void> {
  const broker = new ServiceBroker(brokerOptions({ nodeId: "bench.writer", natsUrl: undefined, logLevel: "fatal" }));
  broker.createService(calendarEventsService({ mongoUrl }));
  broker.createService(announcementsService({ mongoUrl }));
  await broker.start();
  try {
    const rule = { type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    const guilds = [...new Set(posts.map(({ guildId }) => guildId))];
    await forEach(guilds, (guildId) => broker.call(createAnnouncement.name, { guildId, channel: guildId, ...rule }));
    await forEach(posts, ({ guildId, title, dueAt }) => {
      const times = { startsAt: dueAt, endsAt: dueAt + EVENT_MS };
      return broker.call(createEvent.name, { guildId, calendarNumber: 1, name: title, ...times });
    });
  } finally {
    await broker.stop();
  }
}

async function forEach<Item>(items: readonly Item[], write: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.toReversed();
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await write(item);
  };
  await Promise.all(Array.from({ length: WRITTEN_AT_ONCE }, worker));
}
