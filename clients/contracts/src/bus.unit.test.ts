import { describe, expect, test } from "@jest/globals";
import { Errors, ServiceBroker } from "moleculer";
import { ServiceBroker as BrokerOf14 } from "moleculer-0-14";
import { isWriteId, timeOfWriteId } from "../../../mixins/mongo/write-id.ts";
import { brokerOptions, call, isActionError, newWriteId, on } from "./index.ts";

const event = { guildId: "1", calendarNumber: 1, startsAt: 1, endsAt: 2 };

describe("the id of a write", () => {
  test("is a unique UUID of version 7 with the time of its creation", () => {
    const before = Date.now();
    const ids = Array.from({ length: 2_000 }, newWriteId);
    expect(ids.filter((id) => !isWriteId(id))).toEqual([]);
    expect(new Set(ids).size).toBe(2_000);
    const times = ids.map((id) => timeOfWriteId(id as never));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
  });
});

describe("a call", () => {
  const calls: { readonly name: string; readonly options: { readonly meta?: { readonly writeId?: string } } }[] = [];
  const caller = {
    call: async (name: string, _params: object, options: object = {}) => void calls.push({ name, options }),
  };

  test("of a write has its own id, and that of a read has none", async () => {
    await call(caller, "calendar-events.create", event, { timeout: 5 });
    await call(caller, "calendar-events.create", event);
    await call(caller, "calendar-events.listOngoing", { guildId: "1", calendarNumber: 1 });
    const [one, other, read] = calls.splice(0).map(({ options }) => options.meta?.writeId);
    expect([isWriteId(one), isWriteId(other), one === other, read]).toEqual([true, true, false, undefined]);
  });

  test("keeps the id and the options of its caller", async () => {
    const options = { timeout: 5, retries: 2, meta: { writeId: newWriteId() } };
    await call(caller, "announcements.remove", { guildId: "1", id: "a" }, options);
    expect(calls.splice(0)).toEqual([{ name: "announcements.remove", options }]);
  });

  test("that is retried has the same id in each attempt, and without retries there is one attempt", async () => {
    const { retryPolicy } = brokerOptions({ user: "shop-bot", url: "", authenticator: undefined });
    const broker = new ServiceBroker({ logger: false, retryPolicy });
    const ids: unknown[] = [];
    broker.createService({
      name: "announcements",
      actions: {
        remove({ meta }: { readonly meta: object }) {
          ids.push((meta as { readonly writeId?: unknown }).writeId);
          if (ids.length < 3) throw new Errors.MoleculerRetryableError("lost", 504);
        },
      },
    });
    await broker.start();
    await call(broker, "announcements.remove", { guildId: "1", id: "a" }, { retries: 3 });
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    ids.length = 0;
    await expect(call(broker, "announcements.remove", { guildId: "1", id: "a" })).rejects.toThrow("lost");
    expect(ids).toHaveLength(1);
    await broker.stop();
  });
});

describe("an error of a call", () => {
  const refusal = Object.assign(new Error("Event not found"), { type: "EVENT_NOT_FOUND", code: 404 });

  test("is recognized by its type after it was sent over the bus", () => {
    expect([isActionError(refusal), isActionError(refusal, "FORBIDDEN", "EVENT_NOT_FOUND")]).toEqual([true, true]);
    expect(isActionError(refusal, "FORBIDDEN")).toBe(false);
  });

  test.each([undefined, "EVENT_NOT_FOUND", new Error("other"), new Errors.ServiceNotFoundError({ action: "a" })])(
    "that is none of guildcal's is not: %p",
    (error) => {
      expect(isActionError(error)).toBe(false);
    },
  );
});

test.each<[string, typeof ServiceBroker]>([
  ["0.15", ServiceBroker],
  ["0.14", BrokerOf14 as never],
])("a listener of Moleculer %s gets the payload of its event", async (_version, Broker) => {
  const broker = new Broker({ logger: false });
  const heard: unknown[] = [];
  broker.createService({ name: "shop", events: on("calendar.changed", (payload) => heard.push(payload)) });
  await broker.start();
  const payload = { guildId: "1", calendarNumber: 1, revision: 1 };
  await broker.emit("calendar.changed", payload);
  await broker.stop();
  expect(heard).toEqual([payload]);
});
