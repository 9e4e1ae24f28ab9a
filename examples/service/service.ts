import { env } from "node:process";
import { brokerOptions, call, isActionError, on } from "@guildcal/contracts";
import { ServiceBroker } from "moleculer";
import { nkeyAuthenticator } from "nats";

// A service of another project, which creates an event and its announcement over NATS, and receives the event of every post.
const { GUILDCAL_NATS_URL: url = "nats://127.0.0.1:4222", GUILDCAL_BUS_USER: user = "shop-bot" } = env;
const authenticator = nkeyAuthenticator(Buffer.from(env["GUILDCAL_BUS_SEED"] ?? ""));
const broker = new ServiceBroker(brokerOptions({ user, url, authenticator }));
const guildId = env["GUILD_ID"] ?? "375357265198317579";

broker.createService({
  name: "shop",
  events: {
    ...on("announcement.posted", ({ channel, lateMs }) => console.log(`posted in ${channel}, ${lateMs} ms late`)),
    ...on("announcement.missed", ({ reason }) => console.log(`missed: ${reason}`)),
    ...on("announcement.failed", ({ reason }) => console.log(`failed: ${reason}`)),
  },
});

await broker.start();
await broker.waitForServices(["calendar-events", "announcements"]);
try {
  const startsAt = Date.now() + Number(env["DUE_IN_S"] ?? 10) * 1_000;
  const sale = { guildId, calendarNumber: 1, name: "Potion sale", startsAt, endsAt: startsAt + 3_600_000 };
  const { eventId } = await call(broker, "calendar-events.create", sale, { retries: 3 });
  const post = { guildId, channel: env["CHANNEL_ID"] ?? "381142957109346304", hours: 0, minutes: 0, info: "" };
  await call(broker, "announcements.create", { ...post, type: "SPECIFIC", eventId }, { retries: 3 });
  console.log(`event ${eventId} is announced at its start`);
} catch (error) {
  if (!isActionError(error)) throw error;
  console.error(`refused with ${error.type}`, error.data?.problems ?? error.message);
}
