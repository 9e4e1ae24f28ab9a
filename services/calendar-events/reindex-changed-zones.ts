import { setImmediate as nextTurn } from "node:timers/promises";
import { timeZones } from "../../mixins/time-zones/time-zones.ts";
import type { ZoneRulesStore } from "./store/zone-rules.store.ts";

/** By then a rollout is over, and no process answers by the rules before any more. */
const ROLLOUT_MS = 15 * 60_000;
const CHECK_INTERVAL_MS = 60_000;

interface ZoneRulesCheck {
  stop(): void;
}

/**
 * Compares the rules of time zones that the process has with those that what is stored was filed by. Where a zone's differ, its
 * calendars are filed again, and the change feed has them, so that dispatch plans their guilds again; once more when the rollout
 * that brought the rules is over, since replicas of before have answered until then. What fails is tried again.
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

/** Whether there is nothing left to do. */
export async function checkZoneRules(store: ZoneRulesStore, settledAfterMs: number): Promise<boolean> {
  const digests = await zoneDigests();
  const indexedRules = await store.indexedRules();
  const changed = Object.keys(digests).filter((name) => digests[name] !== indexedRules?.digests[name]);
  if (changed.length > 0) {
    await store.reindex(changed);
    await store.save({ digests: { ...indexedRules?.digests, ...digests }, changed, isSettled: false });
    return false;
  }
  if (indexedRules === undefined || indexedRules.isSettled) return true;
  if (indexedRules.ageMs < settledAfterMs) return false;
  await store.reindex(indexedRules.changed);
  await store.save({ ...indexedRules, isSettled: true });
  return true;
}

/** All at once would take the process a second. */
async function zoneDigests(): Promise<Record<string, string>> {
  const set = timeZones();
  const digests: Record<string, string> = {};
  for (const name of set.names) {
    digests[name] = set.digestOf(name) ?? "";
    await nextTurn();
  }
  return digests;
}
