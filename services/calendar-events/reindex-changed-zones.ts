import { setImmediate as turn } from "node:timers/promises";
import { timeZones } from "../../mixins/time-zones/time-zones.ts";
import type { ZoneRulesStore } from "./store/zone-rules.store.ts";

/** By then a rollout is over, and no process answers by the rules before any more. */
const SETTLED_AFTER_MS = 15 * 60_000;
const LOOK_EVERY_MS = 60_000;

interface Watch {
  stop(): void;
}

/**
 * Compares the rules of time zones that the process has with those that what is stored was filed by. Where a zone's differ, its
 * calendars are filed again, and the change feed has them, so that dispatch plans their guilds again; once more when the rollout
 * that brought the rules is over, since replicas of before have answered until then. What fails is tried again.
 */
export function followZoneRules(store: ZoneRulesStore, onError: (error: unknown) => void): Watch {
  let isBusy = false;
  let isStopped = false;
  const look = async () => {
    if (isBusy || isStopped) return;
    isBusy = true;
    const isSettled = await lookAtZoneRules(store, SETTLED_AFTER_MS).catch((error: unknown) => {
      if (!isStopped) onError(error);
      return false;
    });
    if (isSettled) clearInterval(looking);
    isBusy = false;
  };
  const looking = setInterval(() => void look(), LOOK_EVERY_MS);
  looking.unref();
  void look();
  return {
    stop() {
      isStopped = true;
      clearInterval(looking);
    },
  };
}

/** Whether there is nothing left to do. */
export async function lookAtZoneRules(store: ZoneRulesStore, settledAfterMs: number): Promise<boolean> {
  const digests = await digestsOfZones();
  const seen = await store.seen();
  const changed = Object.keys(digests).filter((name) => digests[name] !== seen?.digests[name]);
  if (changed.length > 0) {
    await store.refile(changed);
    await store.save({ digests: { ...seen?.digests, ...digests }, changed, isSettled: false });
    return false;
  }
  if (seen === undefined || seen.isSettled) return true;
  if (seen.ageMs < settledAfterMs) return false;
  await store.refile(seen.changed);
  await store.save({ ...seen, isSettled: true });
  return true;
}

/** All at once would take the process a second. */
async function digestsOfZones(): Promise<Record<string, string>> {
  const set = timeZones();
  const digests: Record<string, string> = {};
  for (const name of set.names) {
    digests[name] = set.digestOf(name) ?? "";
    await turn();
  }
  return digests;
}
