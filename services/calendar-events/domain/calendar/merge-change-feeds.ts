import type { ChangesSinceParams, ChangesSinceResult } from "../../../contracts/change-feed.contract.ts";
import { compareText } from "../event/list-order.ts";

/**
 * Two feeds read from the same mark as one, in the order of time and id. The earliest changes of both are the
 * earliest of all: what is cut off is read from the new mark.
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
  const readings = feeds.map(({ readAt }) => readAt).filter((at) => at !== undefined);
  return {
    changes,
    mark: last === undefined ? mark : { at: last.changedAt, id: last.id },
    ...(readings.length === 0 ? {} : { readAt: Math.min(...readings) }),
    more: all.length > limit || feeds.some(({ more }) => more),
  };
}
