import { describe, expect, test } from "@jest/globals";
import { eventCountAt, guildIdAt, guildRowsAt } from "./synthetic-guilds.ts";

describe("the synthetic guilds of bench:scale", () => {
  test.each([10_000, 100_000])("%i guilds have about 3.5 events each, and a few have most of them", (guilds) => {
    const counts = Array.from({ length: guilds }, (_, at) => eventCountAt(at + 1, guilds));
    const sum = counts.reduce((one, other) => one + other, 0);
    expect(sum / guilds).toBeGreaterThan(2.5);
    expect(sum / guilds).toBeLessThan(4.5);
    expect(counts[0]).toBeGreaterThan(2_000);
    expect(counts.filter((count) => count === 1).length / guilds).toBeGreaterThan(0.7);
  });

  test("rows of a guild have its id, and different guilds have different ids", () => {
    const rows = guildRowsAt(20, 10_000, Date.UTC(2026, 0, 5));
    expect([rows.calendar_events.length, rows.announcements.length, rows.guild_settings.length]).toEqual([150, 1, 1]);
    const guilds = new Set(Object.values(rows).flatMap((list) => list.map((row: { guildId?: string }) => row.guildId)));
    expect([...guilds]).toEqual([guildIdAt(20)]);
    expect(new Set([1, 2, 3].map(guildIdAt)).size).toBe(3);
  });
});
