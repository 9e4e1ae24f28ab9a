import { describe, expect, test } from "@jest/globals";
import { MAX_ANNOUNCEMENTS } from "../../contracts/announcements.contract.ts";
import { pickSlot, freeSlots } from "./free-slots.ts";

describe("the free slots of a guild (D26)", () => {
  const all = Array.from({ length: MAX_ANNOUNCEMENTS }, (_, slot) => slot);

  test("are those without an announcement", () => {
    expect(freeSlots([])).toEqual(all);
    expect(freeSlots(all.filter((slot) => slot !== 5 && slot !== 999))).toEqual([5, 999]);
    expect(freeSlots(all)).toEqual([]);
  });

  test("are picked at random, from the first to the last", () => {
    expect([0, 0.5, 0.999].map((random) => pickSlot([7, 8], random))).toEqual([7, 8, 8]);
    expect(pickSlot([], 0.5)).toBeUndefined();
  });
});
