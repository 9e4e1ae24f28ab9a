import type { ChangeFeed } from "../../mixins/mongo/change-feed.ts";
import { mergeChangeFeeds } from "./domain/calendar/merge-change-feeds.ts";

/** The changes of several collections as one feed. */
export function mergedFeed(feeds: readonly ChangeFeed[]): ChangeFeed {
  return {
    async changesSince(params) {
      return mergeChangeFeeds(params, await Promise.all(feeds.map((feed) => feed.changesSince(params))));
    },
    async countChanges(params) {
      const counts = await Promise.all(feeds.map((feed) => feed.countChanges(params)));
      const count = counts.reduce((one, other) => one + other, 0);
      return Math.min(params.limit, count);
    },
  };
}
