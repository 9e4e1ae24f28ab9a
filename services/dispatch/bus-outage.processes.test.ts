import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { announcementsService } from "../announcements/announcements.service.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import { createAnnouncement, updateAnnouncement } from "../contracts/announcements.contract.ts";
import { createEvent } from "../contracts/calendar-events.contract.ts";
import type { ActionContract } from "../contracts/contract.ts";
import { listUpcomingPosts } from "../contracts/dispatch.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import { type EmbeddedNats, startNats } from "../launch/embedded/embedded-nats.ts";
import { dispatchService } from "./dispatch.service.ts";
import { newRecordingSink, type RecordingSink } from "../../test/fixtures/recording-sink.ts";

const guildId = "1" as GuildId;
const SERVICES = ["announcements", "calendar-events", "dispatch", "guild-settings"];

describe("dispatch without its bus", () => {
  let nats: EmbeddedNats;
  let sink: RecordingSink;
  let brokers: ServiceBroker[] = [];

  beforeEach(async () => {
    nats = await startNats();
    sink = newRecordingSink();
    const mongoUrl = emptyDatabase();
    const namespace = randomUUID();
    const home = (name: string, schemas: readonly ServiceSchema[]) => {
      const options = brokerOptions({ nodeId: `${name}.test`, natsUrl: nats.url, logLevel: "fatal" });
      const broker = new ServiceBroker({ ...options, namespace });
      for (const schema of schemas) broker.createService(schema);
      return broker;
    };
    const owners = [guildSettingsService, calendarEventsService, announcementsService].map((make) =>
      make({ mongoUrl }),
    );
    // The owners are never silent for so long: posts go out because the bus is known to be down.
    const timing = { ownersSilentMs: Infinity };
    const dispatch = dispatchService({ mongoUrl, sinks: [sink], graceMs: 900_000, timing });
    brokers = [home("owners", owners), home("dispatch", [dispatch])];
    await Promise.all(brokers.map((broker) => broker.start()));
    await Promise.all(brokers.map((broker) => broker.waitForServices(SERVICES, 60_000, 20)));
  });
  afterEach(async () => {
    await Promise.all(brokers.map((broker) => broker.stop()));
    await nats.stop();
  });

  function call<Params, Result>(contract: ActionContract<Params, Result>, params: Params): Promise<Result> {
    return (brokers[0] as ServiceBroker).call(contract.name, params as never);
  }

  async function plannedPosts() {
    return (await call(listUpcomingPosts, { guildId, amount: -1 })).posts;
  }

  /** Waits until `count` posts are planned. A failed call is repeated, since dispatch is unreachable at the end of an outage. */
  async function upcoming(count: number): Promise<void> {
    const isPlanned = () =>
      plannedPosts().then(
        (posts) => posts.length === count,
        () => false,
      );
    await until(isPlanned, `${count} planned`);
  }

  /** Creates an event, and returns it once its post is planned. A busy machine may need longer than the lead. */
  async function plannedEvent(leadMs = 2_500): Promise<{ readonly name: string; readonly startsAt: number }> {
    const startsAt = Date.now() + leadMs;
    const name = `starts at ${startsAt}`;
    const { eventId } = await call(createEvent, { guildId, calendarNumber: 1, startsAt, endsAt: startsAt, name });
    const isOver = () => Date.now() > startsAt - leadMs / 4;
    const isPlanned = async () => (await plannedPosts()).some((post) => post.eventId === eventId);
    await until(async () => (await isPlanned()) || isOver(), "the post is planned or nearly due");
    return isOver() ? plannedEvent(2 * leadMs) : { name, startsAt };
  }

  test("planned posts are sent while nats-server is down, and edits are planned when it is back", async () => {
    const announcement = { guildId, channel: "77", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" } as const;
    const { id } = await call(createAnnouncement, announcement);
    const later = Date.now() + 3_600_000;
    await call(createEvent, { guildId, calendarNumber: 1, startsAt: later, endsAt: later });
    await upcoming(1);
    const { name, startsAt } = await plannedEvent();
    await nats.kill("SIGKILL");
    const sent = () => sink.received.filter(({ message }) => JSON.stringify(message).includes(name));
    await until(() => sent().length > 0, "posted by the stored plan");
    expect(sent().map(({ at }) => at >= startsAt)).toEqual([true]);
    nats = await startNats(nats.port);
    await until(
      () =>
        call(updateAnnouncement, { guildId, id, enabled: false }).then(
          () => true,
          () => false,
        ),
      "an edit after the outage",
    );
    await upcoming(0);
  });
});
