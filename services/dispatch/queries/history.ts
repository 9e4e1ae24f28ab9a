import { MAX_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import { type HistoryParams, listPostHistory, type SettledPost } from "../../contracts/dispatch.contract.ts";
import type { Refusal } from "../../contracts/errors.ts";
import { listTooLarge } from "../../contracts/list-limits.ts";
import type { PostsStore } from "../store/posts.store.ts";

/** What became of a guild's posts, latest first: nothing is cut off silently, so too many are refused (D17). */
export async function historyOf(
  store: Pick<PostsStore, "listHistory">,
  { guildId, amount, id }: HistoryParams,
): Promise<SettledPost[] | Refusal> {
  const most = amount === -1 ? Infinity : amount;
  const posts = await store.listHistory(guildId, Math.min(most, MAX_ENTRIES + 1), id);
  return posts.length <= MAX_ENTRIES ? posts : listTooLarge(listPostHistory, "entries");
}
