import { firstPage, type PagedList, pageOf } from "../../../mixins/actions/page-entries.ts";
import { pageCursors } from "../../../mixins/actions/page-cursor.ts";
import type { listPostHistoryPage, SettledPost, UpcomingPost } from "../../contracts/dispatch.contract.ts";
import type { ParamsOf } from "../../contracts/contract.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { DEFAULT_PAGE_ENTRIES, type Page, type PageParams } from "../../contracts/pages.ts";
import { offsetText, type Post } from "../domain/post/post.ts";
import { toSettledPost } from "../domain/post/post-views.ts";
import type { PostsStore } from "../store/posts.store.ts";

/** The order of upcoming posts. */
export const UPCOMING: PagedList<UpcomingPost, readonly [dueAt: EpochMs, announcementId: string, eventId: string]> = {
  cursors: pageCursors("upcoming", [0, "", ""]),
  // The offsets of an announcement may be due at one instant: the last value has event and offset, since the number of values is fixed.
  positionOf: (post) => [post.dueAt, post.announcementId, post.eventId + offsetIn(post)],
};

/** The offset as a text; empty for a lead time in `hours` and `minutes`, so that the cursors of releases without offsets stay valid. */
function offsetIn({ anchor, offsetMinutes = 0 }: Pick<UpcomingPost, "anchor" | "offsetMinutes">): string {
  return anchor === undefined ? "" : ` ${offsetText({ anchor, minutes: offsetMinutes })}`;
}

/** A page of the open posts of a guild, soonest first (D49). A plan is short enough to be read as a whole (D39). */
export async function upcomingPage(
  store: Pick<PostsStore, "listUpcoming">,
  guildId: GuildId,
  params: PageParams,
): Promise<Page<UpcomingPost> | Refusal> {
  return pageOf(await store.listUpcoming(guildId, -1), params, UPCOMING);
}

const historyCursors = pageCursors<readonly [settledAt: EpochMs, id: string]>("history", [0, ""]);

/**
 * A page of the settled posts of a guild, latest first (D49). Its cursor has the id in the ledger, which the posts of a response lack.
 * An outcome is final, so a post never changes its place. */
export async function historyPage(
  store: Pick<PostsStore, "listHistoryBehind">,
  { guildId, id: announcementId, limit = DEFAULT_PAGE_ENTRIES, cursor }: ParamsOf<typeof listPostHistoryPage>,
): Promise<Page<SettledPost> | Refusal> {
  const position = historyCursors.read(cursor);
  if (isRefusal(position)) return position;
  const behind = position === undefined ? undefined : { settledAt: position[0], id: position[1] };
  // One post more than the page tells whether there is a next page.
  const rows = await store.listHistoryBehind(guildId, { announcementId, behind, limit: limit + 1 });
  const posts = rows.map(toSettledPost);
  const ids = new Map(posts.map((post, at) => [post, (rows[at] as Post).id]));
  return firstPage(posts, limit, (post) => historyCursors.write([post.settledAt, ids.get(post) as string]));
}
