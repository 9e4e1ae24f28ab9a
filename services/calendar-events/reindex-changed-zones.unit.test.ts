import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { timeZoneSet } from "../../mixins/time-zones/time-zone-set.ts";
import { timeZones, setTimeZones } from "../../mixins/time-zones/time-zones.ts";
import { checkZoneRules } from "./reindex-changed-zones.ts";
import type { IndexedZoneRules, ZoneRulesStore } from "./store/zone-rules.store.ts";

const ROLLOUT_MS = 1_000;
const before = timeZones();
let ageMs: number;
let reindexed: (readonly string[])[];
let indexedRules: IndexedZoneRules | undefined;
let store: ZoneRulesStore;

/** Sets two zones with constant offsets. */
function setOffsets(offsets: Readonly<Record<string, number>>): void {
  const makers = Object.entries(offsets).map(
    ([name, first]) => [name, () => ({ first, changes: [], yearly: [] })] as const,
  );
  setTimeZones(timeZoneSet({ version: "2031a", publishedAt: 0, source: "folder" }, new Map(makers), new Map()));
}

beforeEach(() => {
  ageMs = 0;
  reindexed = [];
  indexedRules = undefined;
  store = {
    indexedRules: async () => indexedRules && { ...indexedRules, ageMs },
    save: async (next) => void (indexedRules = next),
    reindex: async (zones) => void reindexed.push(zones),
  };
  setOffsets({ "Europe/London": 0, "Asia/Tokyo": 1 });
});
afterAll(() => setTimeZones(before));

const look = () => checkZoneRules(store, ROLLOUT_MS);

test("the first check reindexes every zone, and once more when the rollout is over", async () => {
  expect(await look()).toBe(false);
  expect(await look()).toBe(false);
  expect(reindexed).toEqual([["Europe/London", "Asia/Tokyo"]]);
  ageMs = ROLLOUT_MS;
  expect(await look()).toBe(true);
  expect(await look()).toBe(true);
  expect(reindexed).toEqual([
    ["Europe/London", "Asia/Tokyo"],
    ["Europe/London", "Asia/Tokyo"],
  ]);
});

test("a later check does not read the rules of all zones again", async () => {
  let reads = 0;
  const load = () => {
    reads += 1;
    return { first: 0, changes: [], yearly: [] };
  };
  const about = { version: "2031a", publishedAt: 0, source: "folder" } as const;
  setTimeZones(timeZoneSet(about, new Map([["Europe/London", load]]), new Map()));
  await look();
  await look();
  expect(reads).toBe(1);
});

test("new rules reindex only the zones that they change", async () => {
  await look();
  reindexed = [];
  setOffsets({ "Europe/London": 0, "Asia/Tokyo": 2 });
  await look();
  expect(reindexed).toEqual([["Asia/Tokyo"]]);
});

test("a zone that could not be reindexed is reindexed by the next check", async () => {
  const sound = store;
  store = { ...sound, reindex: () => Promise.reject(new Error("no primary")) };
  await expect(look()).rejects.toThrow("no primary");
  store = sound;
  await look();
  expect(reindexed).toHaveLength(1);
});
