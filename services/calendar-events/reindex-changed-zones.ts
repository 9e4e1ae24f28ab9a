import { setImmediate as nextTurn } from "node:timers/promises";
import { timeZones } from "../../mixins/time-zones/time-zones.ts";
import type { ZoneRulesStore } from "./store/zone-rules.store.ts";

/** Time after which a rollout is over, and no process uses the previous rules any more. */
const ROLLOUT_MS = 15 * 60_000;
const CHECK_INTERVAL_MS = 60_000;

interface ZoneRulesCheck {
  stop(): void;
}

/**
 * Compares the time zone rules of this process with those that the stored index fields were computed by. If the rules
 * of a zone differ, it reindexes the calendars of the zone and puts them into the change feed, so that dispatch plans
 * their guilds again. It does so once more after the rollout of the new rules, because older replicas have written
 * until then. A failure is retried at the next check.
 */
export function startZoneRulesCheck(store: ZoneRulesStore, onError: (error: unknown) => void): ZoneRulesCheck {
  let isBusy = false;
  let isStopped = false;
  const check = async () => {
    if (isBusy || isStopped) return;
    isBusy = true;
    const isSettled = await checkZoneRules(store, ROLLOUT_MS).catch((error: unknown) => {
      if (!isStopped) onError(error);
      return false;
    });
    if (isSettled) clearInterval(timer);
    isBusy = false;
  };
  const timer = setInterval(() => void check(), CHECK_INTERVAL_MS);
  timer.unref();
  void check();
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/** Runs one check. Resolves with true if nothing is left to do. */
export async function checkZoneRules(store: ZoneRulesStore, rolloutMs: number): Promise<boolean> {
  const digests = await zoneDigests();
  const indexedRules = await store.indexedRules();
  const changed = Object.keys(digests).filter((name) => digests[name] !== indexedRules?.digests[name]);
  if (changed.length > 0) {
    await store.reindex(changed);
    await store.save({ digests: { ...indexedRules?.digests, ...digests }, changed, isSettled: false });
    return false;
  }
  if (indexedRules === undefined || indexedRules.isSettled) return true;
  if (indexedRules.ageMs < rolloutMs) return false;
  await store.reindex(indexedRules.changed);
  await store.save({ ...indexedRules, isSettled: true });
  return true;
}

/** Yields to the event loop between zones: the first time, all of them together take a second. */
async function zoneDigests(): Promise<Record<string, string>> {
  const set = timeZones();
  const digests: Record<string, string> = {};
  for (const name of set.names) {
    digests[name] = set.digestOf(name) ?? "";
    await nextTurn();
  }
  return digests;
}
