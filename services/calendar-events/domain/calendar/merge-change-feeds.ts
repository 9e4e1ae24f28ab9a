import type { ChangesSinceParams, ChangesSinceResult } from "../../../contracts/change-feed.contract.ts";
import { compareText } from "../event/list-order.ts";

/**
 * Merges feeds that were read from the same mark, in the order of time and id. The result may be cut off: the rest is
 * read from the new mark.
 */
export function mergeChangeFeeds(
  { mark, limit }: ChangesSinceParams,
  feeds: readonly ChangesSinceResult[],
): ChangesSinceResult {
  const all = feeds
    .flatMap(({ changes }) => changes)
    .toSorted((a, b) => a.changedAt - b.changedAt || compareText(a.id, b.id));
  const changes = all.slice(0, limit);
  const last = changes.at(-1);
  const readTimes = feeds.map(({ readAt }) => readAt).filter((at) => at !== undefined);
  return {
    changes,
    mark: last === undefined ? mark : { at: last.changedAt, id: last.id },
    ...(readTimes.length === 0 ? {} : { readAt: Math.min(...readTimes) }),
    more: all.length > limit || feeds.some(({ more }) => more),
  };
}
