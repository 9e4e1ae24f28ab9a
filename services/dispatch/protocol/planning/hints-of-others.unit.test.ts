import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../../contracts/ids.ts";
import { newHintsOfOthers } from "./hints-of-others.ts";

const KEEP_MS = 60_000;

/** Broadcasts about guilds, of which this replica plans some; the time is moved by hand. */
function hintsAt() {
  let now = 1_000_000;
  const own = new Set<string>();
  const hints = newHintsOfOthers({ now: () => now }, KEEP_MS, (guildId) => own.has(guildId));
  return {
    add: (guildId: string, since = now) => hints.add({ guildId: guildId as GuildId }, since),
    takeOver: (limit = 100) => hints.takeOver(limit).map(({ hint, since }) => [String(hint.guildId), since] as const),
    planFrom: (...guilds: string[]) => guilds.forEach((guildId) => own.add(guildId)),
    pass: (ms: number) => (now += ms),
  };
}

describe("the broadcasts of changes in guilds of other replicas", () => {
  test("are returned once, as soon as this replica plans the guilds", () => {
    const { add, takeOver, planFrom } = hintsAt();
    add("1", 5);
    add("2", 6);
    expect(takeOver()).toEqual([]);
    planFrom("1");
    expect(takeOver()).toEqual([["1", 5]]);
    expect(takeOver()).toEqual([]);
    planFrom("2");
    expect(takeOver()).toEqual([["2", 6]]);
  });

  test("are one for each guild, from the earliest instant on", () => {
    const { add, takeOver, planFrom } = hintsAt();
    add("1", 9);
    add("2", 7);
    add("1", 8);
    planFrom("1", "2");
    expect(takeOver()).toEqual([
      ["2", 7],
      ["1", 8],
    ]);
  });

  test("are forgotten after a time", () => {
    const { add, takeOver, planFrom, pass } = hintsAt();
    add("1", 5);
    pass(KEEP_MS / 2);
    add("2", 6);
    pass(KEEP_MS / 2 + 1);
    planFrom("1", "2");
    expect(takeOver()).toEqual([["2", 6]]);
  });

  test("are returned as many as there is room for, and the others later", () => {
    const { add, takeOver, planFrom } = hintsAt();
    for (const guildId of ["1", "2", "3"]) add(guildId, 5);
    planFrom("1", "2", "3");
    expect(takeOver(2).map(([guildId]) => guildId)).toEqual(["1", "2"]);
    expect(takeOver(2).map(([guildId]) => guildId)).toEqual(["3"]);
  });

  test("are kept for ten thousand guilds, the latest", () => {
    const { add, takeOver, planFrom } = hintsAt();
    const guilds = Array.from({ length: 10_001 }, (_, at) => String(at));
    for (const guildId of guilds) add(guildId, 5);
    planFrom(...guilds);
    const taken = takeOver(Infinity);
    expect([taken.length, taken[0]?.[0]]).toEqual([10_000, "1"]);
  });
});
