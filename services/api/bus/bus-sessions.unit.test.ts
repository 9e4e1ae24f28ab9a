import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { BusSessions } from "./bus-sessions.ts";
import type { BusUser } from "./bus-user.ts";

const one: BusUser = { name: "one", access: "read", guilds: ["1"], publicKey: "U1" };
const all: BusUser = { name: "all", access: "write", guilds: [], publicKey: "U2" };

describe("the brokers of bus users", () => {
  let live: BusUser[];
  let now: number;
  let log: string[];
  let errors: unknown[];
  let sessions: BusSessions;
  let fails: boolean;

  beforeEach(async () => {
    [live, now, log, errors, fails] = [[one], 0, [], [], false];
    const unlessDown = async <Value>(value: Value) => {
      if (fails) throw new Error("down");
      return value;
    };
    sessions = new BusSessions({
      store: {
        listActiveNames: () => unlessDown(live.map(({ name }) => name)),
        findActive: (names) => unlessDown(live.filter(({ name }) => names.includes(name))),
      },
      createBroker: ({ name }) => ({
        start: async () => void log.push(`start ${name}`),
        stop: async () => void log.push(`stop ${name}`),
        broadcast: async (event: string, payload?: unknown) =>
          void log.push(`tell ${name} ${event} ${JSON.stringify(payload)}`),
      }),
      onUsers: (users) => log.push(`users ${users.map(({ name }) => name).join()}`),
      onError: (error) => errors.push(error),
      clock: () => now,
    });
    await sessions.start();
    log.length = 0;
  });
  afterEach(() => sessions.stop());

  test("follow the stored users, and each change is reported", async () => {
    live = [all];
    await sessions.refresh();
    await new Promise(setImmediate);
    expect(log.toSorted()).toEqual(["start all", "stop one", "users all"]);
    log.length = 0;
    await sessions.refresh();
    expect(log).toEqual([]);
  });

  test("serve a user until it is revoked, and do not serve another user with the same name", async () => {
    expect([sessions.isServed(one), sessions.isServed(all), sessions.isServed({ ...one })]).toEqual([
      true,
      false,
      false,
    ]);
    live = [];
    await sessions.refresh();
    expect(sessions.isServed(one)).toBe(false);
  });

  test("serve no user when the users could not be read for four seconds, and serve them again afterwards", async () => {
    fails = true;
    now = 3_999;
    await sessions.refresh();
    expect(sessions.isServed(one)).toBe(true);
    now = 4_000;
    await sessions.refresh();
    sessions.forwardEvent({ name: "x" }, { guildId: "1" });
    expect([sessions.isServed(one), errors.length, log]).toEqual([false, 2, []]);
    fails = false;
    await sessions.refresh();
    expect(sessions.isServed(one)).toBe(true);
  });

  test("forward an event to the users of its guild", async () => {
    live = [one, all];
    await sessions.refresh();
    log.length = 0;
    sessions.forwardEvent({ name: "x" }, { guildId: "2" });
    sessions.forwardEvent({ name: "x" }, { guildId: "1" });
    expect(log.toSorted()).toEqual([
      'tell all x {"guildId":"1"}',
      'tell all x {"guildId":"2"}',
      'tell one x {"guildId":"1"}',
    ]);
  });

  test("stop with their gateway", async () => {
    await sessions.stop();
    expect(log).toEqual(["stop one"]);
  });
});
