import { entriesAfter, PageEntries } from "../../../mixins/actions/page-entries.ts";
import type { DueWindow, UpcomingPost } from "../../contracts/dispatch.contract.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import type { AnnouncementId, EpochMs, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import { DEFAULT_PAGE_ENTRIES, type Page, type PageParams } from "../../contracts/pages.ts";
import { comparePositions, firstPositionAt, type Position } from "../domain/plan/plan-order.ts";
import { subjectKey } from "../domain/post/post.ts";
import { toComputedPost } from "../domain/post/post-views.ts";
import type { GuildPlan } from "../protocol/post-store.ts";
import type { PostsStore } from "../store/posts.store.ts";
import { type ComputePorts, computePosts } from "./compute-posts.ts";
import { COMPARED_MS } from "./diff-plan.ts";
import { UPCOMING } from "./post-pages.ts";

export interface UpcomingPorts extends ComputePorts {
  readonly store: Pick<PostsStore, "postsForPlan" | "postsOfPairs" | "listUpcoming" | "guildPlan">;
}

/**
 * A page of the posts that are due in a window (D57): the stored ones, and behind the end of the plan those that would be
 * planned now, up to 366 days ahead.
 */
export async function upcomingWindow(
  ports: UpcomingPorts,
  guildId: GuildId,
  { dueFrom = 0, dueUntil = Infinity, limit = DEFAULT_PAGE_ENTRIES, cursor }: DueWindow & PageParams,
  now: EpochMs,
  clock?: () => number,
): Promise<Page<UpcomingPost> | Refusal> {
  const position = UPCOMING.cursors.read(cursor);
  if (isRefusal(position)) return position;
  const until = Math.min(dueUntil, now + COMPARED_MS);
  // The plan is read before its posts: in the other order a plan that is stored in between would hide its posts.
  const plan = await ports.store.guildPlan(guildId);
  const stored = await ports.store.listUpcoming(guildId, -1);
  const rows = stored.filter(({ dueAt }) => dueAt >= dueFrom && dueAt < until);
  const behind = position === undefined ? undefined : positionOf(position);
  const start = latest([endOfPlan(plan, now), firstPositionAt(dueFrom), ...(behind === undefined ? [] : [behind])]);
  const planned = entriesAfter(rows, position, UPCOMING.positionOf).filter(({ dueAt }) => dueAt < start.at);
  // Nothing is computed for a page that is full of stored posts.
  const range = { start, until: planned.length > limit ? start.at : until, now };
  const { posts, end, isComplete } = await computePosts(ports, guildId, range, limit + 1, clock);
  const known = new Set(stored.map(keyOf));
  const computed = new Map(posts.map((post) => [subjectKey({ ...post, sink: "log" }), toComputedPost(post)]));
  const others = [...computed.values()].filter((post) => !known.has(keyOf(post)));
  const isBefore = (post: UpcomingPost) =>
    isComplete || comparePositions(positionOf(UPCOMING.positionOf(post)), end) < 0;
  const entries = entriesAfter([...rows, ...others].filter(isBefore), position, UPCOMING.positionOf);
  return pageOf(entries, limit, isComplete ? undefined : end);
}

/** @param end - The first position that was not searched: the next page begins there, unless this one is full; undefined for none. */
function pageOf(entries: readonly UpcomingPost[], limit: number, end: Position | undefined): Page<UpcomingPost> {
  const page = new PageEntries<UpcomingPost>(limit);
  const isFull = entries.some((entry) => !page.add(entry));
  const last = page.entries.at(-1);
  if (isFull && last !== undefined)
    return { entries: page.entries, next: UPCOMING.cursors.write(UPCOMING.positionOf(last)) };
  if (end === undefined) return { entries: page.entries };
  return {
    entries: page.entries,
    next: UPCOMING.cursors.write([end.at, end.announcementId, justBefore(end.occurrenceId)]),
  };
}

/**
 * A text that is less than an id, and not less than any lesser id: the next page begins with the id itself. With less of the
 * position a page of skipped posts, all of one instant and announcement, would be followed by the same page.
 */
function justBefore(id: string): string {
  const last = id.length - 1;
  return last < 0 ? "" : `${id.slice(0, last)}${String.fromCharCode(id.charCodeAt(last) - 1)}~`;
}

/** The first position that is not planned. */
function endOfPlan({ bounded, plannedThrough }: GuildPlan, now: EpochMs): Position {
  return latest([bounded?.end ?? firstPositionAt(plannedThrough), firstPositionAt(now)]);
}

function latest(positions: readonly Position[]): Position {
  return positions.reduce((one, other) => (comparePositions(one, other) >= 0 ? one : other));
}

function positionOf([at, announcementId, eventAndOffset]: readonly [EpochMs, string, string]): Position {
  const [occurrenceId = "", offset] = eventAndOffset.split(" ", 2);
  const ids = { announcementId: announcementId as AnnouncementId, occurrenceId: occurrenceId as OccurrenceId };
  return offset === undefined ? { at, ...ids } : { at, ...ids, offset };
}

function keyOf(post: UpcomingPost): string {
  const [, announcementId, eventAndOffset] = UPCOMING.positionOf(post);
  return `${announcementId} ${eventAndOffset}`;
}
