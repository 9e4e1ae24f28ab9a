import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../contracts/ids.ts";
import { calendarLimit } from "./calendar-limit.ts";

const guild = "1" as GuildId;

/** A guild settings service with given answers, which counts its calls. */
function settings() {
  const state = { maxCalendars: 2, isGone: false, asked: 0, now: 1_000 };
  const caller = {
    async call() {
      state.asked += 1;
      if (state.isGone) throw new Error("gone");
      return { maxCalendars: state.maxCalendars };
    },
  };
  const limit = calendarLimit(() => state.now);
  return { state, limit, ask: () => limit.of(guild, caller) };
}

describe("the number of calendars that a guild may have (D20)", () => {
  test("is read once, and again when it is over five seconds old", async () => {
    const { state, ask } = settings();
    await Promise.all([ask(), ask(), ask()]);
    expect(state.asked).toBe(1);
    state.maxCalendars = 3;
    state.now += 5_000;
    await expect(ask()).resolves.toBe(2);
    state.now += 1;
    await expect(ask()).resolves.toBe(3);
  });

  test("is read again at once when the settings have changed", async () => {
    const { state, limit, ask } = settings();
    await ask();
    state.maxCalendars = 1;
    limit.forget(guild);
    await expect(ask()).resolves.toBe(1);
  });

  test("is unknown while the guild settings are unreachable, and known when they are back", async () => {
    const { state, ask } = settings();
    state.isGone = true;
    await expect(ask()).rejects.toThrow("gone");
    state.isGone = false;
    await expect(ask()).resolves.toBe(2);
  });
});
