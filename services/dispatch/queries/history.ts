import { MAX_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import { type HistoryParams, listPostHistory, type SettledPost } from "../../contracts/dispatch.contract.ts";
import type { Refusal } from "../../contracts/errors.ts";
import { listTooLarge } from "../../contracts/list-limits.ts";
import type { PostsStore } from "../store/posts.store.ts";

/** A guild's settled posts, latest first. A list that is too long is refused, not truncated (D17). */
export async function readHistory(
  store: Pick<PostsStore, "listHistory">,
  { guildId, amount, id }: HistoryParams,
): Promise<SettledPost[] | Refusal> {
  const limit = amount === -1 ? Infinity : amount;
  const posts = await store.listHistory(guildId, Math.min(limit, MAX_ENTRIES + 1), id);
  return posts.length <= MAX_ENTRIES ? posts : listTooLarge(listPostHistory, "entries");
}
