import type { Connection } from "mongoose";
import { GUILD_PARTITIONS } from "../../contracts/change-feed.contract.ts";
import type { Feed } from "../protocol/feeds.ts";
import type { Clock } from "../protocol/ports.ts";
import type { Heartbeats, PartitionMark, PostStore } from "../protocol/post-store.ts";
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
  let first: PartitionMark | undefined;

  /**
   * Without a mark and a plan no webhook was notified before, so older changes of events do not matter: an upgrade need not read
   * all of them. The feed of webhooks is read from its beginning.
   */
  async function firstMark(feed: Feed, isMarked: boolean): Promise<PartitionMark | undefined> {
    if (feed === "announcements" || (!isMarked && (await store.hasPlans()))) return undefined;
    first ??= { mark: { at: clock.now(), id: "" }, confirmedAt: 0, by: "", savedAt: 0 };
    return first;
  }

  return {
    ...store,
    enableSinks: () => Promise.resolve({}),
    recordHeartbeat: (awakeSince, gapMs) => heartbeats.latest() ?? store.recordHeartbeat(awakeSince, gapMs),
    async partitionMarks(feed) {
      const stored = await store.partitionMarks(feed);
      if (stored.size === GUILD_PARTITIONS) return stored;
      const mark = await firstMark(feed, stored.size > 0);
      if (mark === undefined) return stored;
      return new Map(Array.from({ length: GUILD_PARTITIONS }, (_, at) => [at, stored.get(at) ?? mark]));
    },
  };
}
