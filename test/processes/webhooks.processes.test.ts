import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { guildcalClient } from "../../clients/http/src/index.ts";
import { type StartedProcesses, startProcesses } from "../harness/started-processes.ts";
import { serviceProcess } from "../harness/service-process.ts";
import { until } from "../harness/until.ts";
import { isSignedWith, startReceiver, type WebhookReceiver } from "../harness/webhook-receiver.ts";

const GUILD = "375357265198317579";
const EVENT = { guild_id: GUILD, calendar_number: 1, epoch_start: 1_893_783_600_000, epoch_end: 1_893_790_800_000 };
const WRITERS = 4;
const EVENTS_PER_WRITER = 60;
/**
 * A killed process is replaced within the lease of its queues, 20 s. On a busy machine the new one starts slowly, and a request that
 * fails is repeated after 5 s, and then after 30 s.
 */
const TAKEOVER_MS = 150_000;

describe("the webhooks of a guild, with a process for each service", () => {
  let service: StartedProcesses;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startProcesses({ WEBHOOKS_ALLOW_PRIVATE: "yes" });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
  });

  const received = () =>
    receiver.received.map(({ headers, body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { id: string; revision: number } };
      return { webhookId: String(headers["webhook-id"]), type, ...data };
    });

  test("get each of 240 events at least once, in order for each event, while the process of the webhooks is killed, and nothing after the end", async () => {
    const client = guildcalClient({ baseUrl: service.baseUrl, key: service.key, timeoutMs: 60_000, maxAttempts: 100 });
    const { data: hook } = await client.request("/v2/webhooks/create", {
      guild_id: GUILD,
      url: receiver.url,
      types: ["event.created", "event.updated"],
    });
    const revisions = new Map<string, number>();
    const writing = Array.from({ length: WRITERS }, async () => {
      for (let n = 0; n < EVENTS_PER_WRITER; n += 1) {
        const { data } = await client.request("/v2/events/create", EVENT);
        const where = { guild_id: GUILD, calendar_number: 1, event_id: data.id };
        await client.request("/v2/events/update", { ...where, name: `event ${n}` });
        revisions.set(data.id, 2);
      }
    });
    for (const share of [0.25, 0.6]) {
      const enough = share * WRITERS * EVENTS_PER_WRITER;
      await until(() => new Set(received().map(({ id }) => id)).size > enough, "further deliveries", TAKEOVER_MS);
      await until(() => serviceProcess(service.pid, "webhooks").then(kill, () => false), "the process is killed");
    }
    await Promise.all(writing);
    const newest = () => new Map(received().map(({ id, revision }) => [id, revision]));
    const isComplete = () => {
      const seen = newest();
      return [...revisions].every(([id, revision]) => seen.get(id) === revision);
    };
    await until(isComplete, "the newest revision of each event", TAKEOVER_MS, 200);
    const last = new Map<string, number>();
    const backward = received().filter(({ id, revision }) => {
      const before = last.get(id) ?? 0;
      last.set(id, revision);
      return revision < before;
    });
    expect(backward).toEqual([]);
    expect(revisions.size).toBe(WRITERS * EVENTS_PER_WRITER);
    const first = new Map(
      received()
        .toReversed()
        .map(({ id, type }) => [id, type]),
    );
    expect([...new Set(first.values())]).toEqual(["event.created"]);
    expect(receiver.received.filter((request) => !isSignedWith(hook.secret, request))).toEqual([]);

    await client.request("/v2/webhooks/delete", { guild_id: GUILD, id: hook.id });
    const count = receiver.received.length;
    const { data: other } = await client.request("/v2/webhooks/create", {
      guild_id: GUILD,
      url: receiver.url,
      types: ["event.created"],
    });
    const { data: event } = await client.request("/v2/events/create", EVENT);
    const isOther = ({ webhookId }: { webhookId: string }) => webhookId.startsWith(other.id);
    await until(() => received().some((each) => isOther(each) && each.id === event.id), "the other webhook");
    expect(
      received()
        .slice(count)
        .filter((each) => !isOther(each)),
    ).toEqual([]);
  }, 600_000);

  function kill(pid: number): boolean {
    return process.kill(pid, "SIGKILL");
  }
});
