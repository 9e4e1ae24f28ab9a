import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../contracts/ids.ts";
import { calendarLimit } from "./calendar-limit.ts";

const guild = "1" as GuildId;

/** A guild settings service with given responses, which counts its calls. */
function settings() {
  const state = { maxCalendars: 2, isUnreachable: false, calls: 0, now: 1_000 };
  const caller = {
    async call() {
      state.calls += 1;
      if (state.isUnreachable) throw new Error("gone");
      return { maxCalendars: state.maxCalendars };
    },
  };
  const limit = calendarLimit(() => state.now);
  return { state, limit, readLimit: () => limit.of(guild, caller) };
}

describe("the number of calendars that a guild may have (D20)", () => {
  test("is read once, and again when it is over five seconds old", async () => {
    const { state, readLimit } = settings();
    await Promise.all([readLimit(), readLimit(), readLimit()]);
    expect(state.calls).toBe(1);
    state.maxCalendars = 3;
    state.now += 5_000;
    await expect(readLimit()).resolves.toBe(2);
    state.now += 1;
    await expect(readLimit()).resolves.toBe(3);
  });

  test("is read again at once when the settings have changed", async () => {
    const { state, limit, readLimit } = settings();
    await readLimit();
    state.maxCalendars = 1;
    limit.forget(guild);
    await expect(readLimit()).resolves.toBe(1);
  });

  test("is unknown while the guild settings are unreachable, and known when they are back", async () => {
    const { state, readLimit } = settings();
    state.isUnreachable = true;
    await expect(readLimit()).rejects.toThrow("gone");
    state.isUnreachable = false;
    await expect(readLimit()).resolves.toBe(2);
  });
});
