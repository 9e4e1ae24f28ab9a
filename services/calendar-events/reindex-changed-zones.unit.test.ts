import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { timeZoneSet } from "../../mixins/time-zones/time-zone-set.ts";
import { timeZones, setTimeZones } from "../../mixins/time-zones/time-zones.ts";
import { lookAtZoneRules } from "./reindex-changed-zones.ts";
import type { ZoneRulesSeen, ZoneRulesStore } from "./store/zone-rules.store.ts";

const SETTLED_AFTER_MS = 1_000;
const before = timeZones();
let ageMs: number;
let refiled: (readonly string[])[];
let seen: ZoneRulesSeen | undefined;
let store: ZoneRulesStore;

/** Two zones that never change. */
function useOffsets(offsets: Readonly<Record<string, number>>): void {
  const makers = Object.entries(offsets).map(
    ([name, first]) => [name, () => ({ first, changes: [], yearly: [] })] as const,
  );
  setTimeZones(timeZoneSet({ version: "2031a", publishedAt: 0, source: "folder" }, new Map(makers), new Map()));
}

beforeEach(() => {
  ageMs = 0;
  refiled = [];
  seen = undefined;
  store = {
    seen: async () => seen && { ...seen, ageMs },
    save: async (next) => void (seen = next),
    refile: async (zones) => void refiled.push(zones),
  };
  useOffsets({ "Europe/London": 0, "Asia/Tokyo": 1 });
});
afterAll(() => setTimeZones(before));

const look = () => lookAtZoneRules(store, SETTLED_AFTER_MS);

test("the first look of all files every zone, and once more when the rollout is over", async () => {
  expect(await look()).toBe(false);
  expect(await look()).toBe(false);
  expect(refiled).toEqual([["Europe/London", "Asia/Tokyo"]]);
  ageMs = SETTLED_AFTER_MS;
  expect(await look()).toBe(true);
  expect(await look()).toBe(true);
  expect(refiled).toEqual([
    ["Europe/London", "Asia/Tokyo"],
    ["Europe/London", "Asia/Tokyo"],
  ]);
});

test("new rules file the zones that they change, and no other", async () => {
  await look();
  refiled = [];
  useOffsets({ "Europe/London": 0, "Asia/Tokyo": 2 });
  await look();
  expect(refiled).toEqual([["Asia/Tokyo"]]);
});

test("what could not be filed is filed by the next look", async () => {
  const sound = store;
  store = { ...sound, refile: () => Promise.reject(new Error("no primary")) };
  await expect(look()).rejects.toThrow("no primary");
  store = sound;
  await look();
  expect(refiled).toHaveLength(1);
});
