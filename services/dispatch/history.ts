import { MOST_ENTRIES } from "../contracts/calendar-events.contract.ts";
import type { HistoryParams, SettledPost } from "../contracts/dispatch.contract.ts";
import { refuse, type Refusal } from "../contracts/errors.ts";
import type { PostsStore } from "./posts.store.ts";

/** What became of a guild's posts, latest first: nothing is cut off silently, so too many are refused (D17). */
export async function historyOf(
  store: Pick<PostsStore, "listHistory">,
  { guildId, amount, id }: HistoryParams,
): Promise<SettledPost[] | Refusal> {
  const most = amount === -1 ? Infinity : amount;
  const posts = await store.listHistory(guildId, Math.min(most, MOST_ENTRIES + 1), id);
  if (posts.length <= MOST_ENTRIES) return posts;
  const message = `must be from 0 to ${MOST_ENTRIES} here: there are more entries than that`;
  return refuse("TOO_MANY_ENTRIES", [{ field: "amount", code: "TOO_MANY", message }]);
}
