import type { Connection } from "mongoose";
import type { ChangeMark } from "../../contracts/change-feed.contract.ts";
import type { Clock } from "../protocol/ports.ts";
import type { Heartbeats, PostStore } from "../protocol/post-store.ts";
import { postsStore } from "../store/posts.store.ts";

/** Heartbeats that several plans of one process share. */
interface SharedHeartbeats {
  /** The store with heartbeats that `latest` returns. */
  shared<Store extends Pick<PostStore, "recordHeartbeat">>(store: Store): Store;
  latest(): Promise<Heartbeats> | undefined;
}

export function sharedHeartbeats(): SharedHeartbeats {
  let latest: Promise<Heartbeats> | undefined;
  return {
    shared: (store) => ({
      ...store,
      recordHeartbeat(awakeSince: number, gapMs: number) {
        latest = store.recordHeartbeat(awakeSince, gapMs);
        return latest;
      },
    }),
    latest: () => latest,
  };
}

/**
 * The ledger of notifications. It has no sinks that are switched on and off, and dispatch writes one heartbeat for both ledgers.
 * After a restore notifications are sent again: their receivers drop what they know.
 */
export function notificationStore(connection: Connection, clock: Clock, heartbeats: SharedHeartbeats): PostStore {
  const store = postsStore(connection, "notifications");
  let first: ChangeMark | undefined;

  /**
   * Without a mark and a plan no webhook was notified before, so older changes of events do not matter: an upgrade need not read
   * all of them. The feed of webhooks is read from its beginning.
   */
  async function firstMarks(): Promise<Readonly<Record<"calendar-events" | "guild-settings", ChangeMark>> | undefined> {
    if (await store.hasPlans()) return undefined;
    first ??= { at: clock.now(), id: "" };
    return { "calendar-events": first, "guild-settings": first };
  }

  return {
    ...store,
    enableSinks: () => Promise.resolve({}),
    recordHeartbeat: (awakeSince, gapMs) => heartbeats.latest() ?? store.recordHeartbeat(awakeSince, gapMs),
    async changeMarks() {
      return { ...(await firstMarks()), ...(await store.changeMarks()) };
    },
  };
}
