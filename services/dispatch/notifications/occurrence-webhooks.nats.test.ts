import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { changingGuild } from "../../../test/harness/changing-guild.ts";
import { newRecordingSink } from "../../../test/fixtures/recording-sink.ts";
import { startTestGateway, type TestGateway, untilReady } from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";
import { type ReceivedWebhook, startReceiver, type WebhookReceiver } from "../../../test/harness/webhook-receiver.ts";
import { WEBHOOKS_KEY } from "../../../test/harness/webhooks-key.ts";
import { announcementsService } from "../../announcements/announcements.service.ts";
import { calendarEventsService } from "../../calendar-events/calendar-events.service.ts";
import { guildSettingsService } from "../../guild-settings/guild-settings.service.ts";
import { webhooksService } from "../../webhooks/webhooks.service.ts";
import { dispatchService } from "../dispatch.service.ts";

const HOUR = 3_600_000;
const BOTH = ["occurrence.started", "occurrence.ended"];

describe("the webhooks of a guild at the instants of its occurrences (D59)", () => {
  let gateway: TestGateway;
  let dispatch: { stop(): Promise<void> };
  /** The deliveries with the time at which they came. */
  let received: { readonly request: ReceivedWebhook; readonly at: number }[];
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl, follow: { allowPrivate: true } }),
      webhooksService({ mongoUrl, key: WEBHOOKS_KEY, allowPrivate: true }),
    ]);
    dispatch = await startDispatch();
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  beforeEach(async () => {
    received = [];
    receiver = await startReceiver((request) => {
      received.push({ request, at: Date.now() });
      return 200;
    });
  });
  afterEach(() => receiver.close());

  async function startDispatch(): Promise<{ stop(): Promise<void> }> {
    const { broker, mongoUrl } = gateway;
    const options = { mongoUrl, sinks: [newRecordingSink()], graceMs: 60_000, drainMs: 0 };
    const service = broker.createService(dispatchService(options));
    await broker.waitForServices("dispatch", 60_000, 20);
    return { stop: () => broker.destroyService(service) };
  }

  type Guild = ReturnType<typeof changingGuild>;

  async function webhook(guild: Guild, types: readonly string[] = BOTH): Promise<{ guild_id: string; id: string }> {
    const { id } = await guild.ask("/v2/webhooks/create", { guild_id: guild.guild_id, url: receiver.url, types });
    return { guild_id: guild.guild_id, id: String(id) };
  }

  const bodies = () =>
    received.map(({ request, at }) => ({
      ...(JSON.parse(request.body) as { type: string; data: Record<string, unknown> }),
      at,
    }));

  /** The type and the id of each occurrence that a webhook was notified of, sorted. */
  const told = (to: { id: string }) =>
    bodies()
      .filter(({ data }) => data["webhook_id"] === to.id)
      .map(({ type, data }) => `${type} ${String(data["id"])}`)
      .toSorted();

  /** Writes events for a whole second ahead; with a later instant again, until all responses have come before it. */
  async function ahead<Written>(write: (at: number) => Promise<Written>): Promise<Written> {
    for (let marginMs = 1_500; ; marginMs *= 2) {
      const at = Math.ceil((Date.now() + marginMs) / 1_000) * 1_000;
      const written = await write(at);
      if (Date.now() < at) return written;
    }
  }

  interface WrittenEvents {
    readonly ids: readonly string[];
    readonly series: string;
    /** A series whose first occurrence starts 700 ms later. */
    readonly shifted: string;
  }

  /** Writes events with the start `at`; resolves with the ids of those that start then or a little later. */
  async function writeEvents(guild: Guild, at: number): Promise<WrittenEvents> {
    const times = (ms = 1_000) => ({ epoch_start: at, epoch_end: at + ms });
    const daily = { recur: true, recurrence: { frequency: "DAILY", count: 3, interval: 1 } };
    const update = (event_id: string, change: object) =>
      guild.ask("/v2/events/update", { ...guild.where, event_id, ...change });
    const remove = (event_id: string) => guild.ask("/v2/events/delete", { ...guild.where, event_id });
    const [single, series, moved, movedAway, deleted, cancelled, instant, shifted, shiftedAway] = await Promise.all([
      guild.event({ ...times(), name: "Raid night" }),
      guild.event({ ...times(), ...daily }),
      guild.event(times()),
      guild.event(times()),
      guild.event(times()),
      guild.event({ ...times(), ...daily }),
      guild.event(times(0)),
      guild.event({ ...times(), ...daily }),
      guild.event({ ...times(), ...daily }),
    ]);
    const start = new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
    await Promise.all([
      update(moved, { epoch_start: at + 700, epoch_end: at + 1_200 }),
      update(movedAway, { epoch_start: at + HOUR, epoch_end: at + 2 * HOUR }),
      remove(deleted),
      guild.ask("/v2/events/delete", { ...guild.where, event_id: `${cancelled}_${start}`, scope: "this" }),
      update(`${shifted}_${start}`, { epoch_start: at + 700, epoch_end: at + 1_200 }),
      update(`${shiftedAway}_${start}`, { epoch_start: at + HOUR, epoch_end: at + 2 * HOUR }),
    ]);
    return { ids: [single, `${series}_${start}`, moved, instant, `${shifted}_${start}`], series, shifted };
  }

  test("come at the present start and end of single events and occurrences of series, never early, and once", async () => {
    const { guild, to, soon, ids, series, shifted } = await ahead(async (at) => {
      const made = changingGuild(gateway);
      const id = await webhook(made);
      return { guild: made, to: id, soon: at, ...(await writeEvents(made, at)) };
    });
    const expected = ids.flatMap((id) => BOTH.map((type) => `${type} ${id}`)).toSorted();
    await until(() => told(to).length >= expected.length, "every start and end");
    expect(told(to)).toEqual(expected);
    const notified = bodies().filter(({ data }) => data["webhook_id"] === to.id);
    for (const { at, type, data } of notified) {
      const occurred = type === "occurrence.started" ? data["epoch_start"] : data["epoch_end"];
      expect(data["occurred_at"]).toBe(occurred);
      expect(at).toBeGreaterThanOrEqual(Number(occurred));
    }
    // On a busy machine both may be late, and the end may come first.
    const first = notified.find(({ type, data }) => data["series_id"] === series && type === "occurrence.started");
    expect(first).toMatchObject({
      type: "occurrence.started",
      data: { guild_id: guild.guild_id, series_id: series, epoch_start: soon, epoch_end: soon + 1_000 },
    });
    expect(first?.data["occurrence"]).toEqual(
      expect.objectContaining({ event_id: ids[1], calendar_number: 1, epoch_start: soon, recur: true }),
    );
    const ofShifted = notified.filter(({ data }) => data["series_id"] === shifted);
    expect(new Set(ofShifted.map(({ data }) => data["occurred_at"]))).toEqual(new Set([soon + 700, soon + 1_200]));
    const upcoming = await guild.ask("/v1/announcement/upcoming", { guild_id: guild.guild_id });
    const history = await guild.ask("/v1/announcement/history", { guild_id: guild.guild_id });
    expect([upcoming["posts"], history["posts"]]).toEqual([[], []]);
  });

  test("are those that had the type at the instant: not one that was created after it, disabled or deleted", async () => {
    const guild = changingGuild(gateway);
    const all = await webhook(guild);
    const deleted = await webhook(guild);
    const disabled = await webhook(guild);
    await guild.ask("/v2/webhooks/delete", deleted);
    await guild.ask("/v2/webhooks/update", { ...disabled, enabled: false });
    const first = await ahead((at) => guild.event({ epoch_start: at, epoch_end: at + HOUR }));
    await until(() => told(all).length > 0, "the start");
    const later = await webhook(guild, ["occurrence.ended"]);
    await guild.ask("/v2/webhooks/update", { ...disabled, enabled: true });
    const started = told(all).at(-1);
    await ahead((at) => guild.ask("/v2/events/update", { ...guild.where, event_id: first, epoch_end: at }));
    await until(() => [all, later, disabled].every((to) => told(to).includes(`occurrence.ended ${first}`)), "the end");
    const ended = `occurrence.ended ${first}`;
    expect(started).toBe(`occurrence.started ${first}`);
    expect([told(all), told(deleted), told(disabled), told(later)]).toEqual([[ended, started], [], [ended], [ended]]);
  });

  test("are told once of each instant, with its real time, of those while dispatch was stopped as well", async () => {
    const { guild, to, soon, ids } = await ahead(async (at) => {
      const made = changingGuild(gateway);
      const times = (n: number) => ({ epoch_start: at + n * 100, epoch_end: at + n * 100 + 2_000 });
      const id = await webhook(made);
      const written = await Promise.all(Array.from({ length: 30 }, (_, n) => made.event(times(n))));
      return { guild: made, to: id, soon: at, ids: written };
    });
    await until(() => told(to).length >= 5, "some of them");
    await dispatch.stop();
    await until(() => Date.now() > soon + 5_000, "the other instants are past");
    const renamed = ids[29] as string;
    await guild.rename(renamed, "renamed while dispatch was stopped");
    dispatch = await startDispatch();
    const once = ids.flatMap((id) => BOTH.map((type) => `${type} ${id}`)).toSorted();
    await until(() => new Set(told(to)).size >= once.length, "all of them");
    expect([...new Set(told(to))]).toEqual(once);
    const notified = bodies().filter(({ data }) => data["webhook_id"] === to.id);
    for (const { at, data } of notified) expect(at).toBeGreaterThanOrEqual(Number(data["occurred_at"]));
    const instants = notified
      .filter(({ type }) => type === "occurrence.started")
      .map(({ data }) => data["occurred_at"]);
    expect([...new Set(instants as number[])].toSorted((one, other) => one - other)).toEqual(
      ids.map((_, n) => soon + n * 100),
    );
    const deliveryIds = received.map(({ request }) => request.headers["webhook-id"]);
    expect(new Set(deliveryIds).size).toBe(
      new Set(bodies().map(({ type, data }) => `${type} ${JSON.stringify(data)}`)).size,
    );
    const newest = notified.find(({ type, data }) => type === "occurrence.ended" && data["id"] === renamed);
    expect(newest?.data["occurrence"]).toMatchObject({ name: "renamed while dispatch was stopped" });
  });
});
