import type { GuildTruth } from "./plan-input.ts";
import type { Post } from "../post/post.ts";
import type { Wish } from "./desired-posts.ts";
import { settledPost } from "./settled-post.ts";

/**
 * Rows of skipped posts that one announcement gets in one sink. The posts beyond have one row together: a guild may have
 * ten million pairs of an announcement and an occurrence, and each announcement that is created or changed could skip them all.
 */
export const MAX_SKIPPED_ROWS = 10;

/** A skipped wish, with the latest row of its post and the revision of its announcement. */
export interface SkippedWish {
  readonly wish: Wish;
  readonly reason: string;
  readonly row: Post | undefined;
  readonly revision: number;
}

/**
 * The rows of skipped posts that have none: of each announcement and sink the first MAX_SKIPPED_ROWS, and one for the others.
 * An announcement that has such a common row gets no further ones until it is changed.
 *
 * @param skipped - In the order of the plan, with those that have their row already.
 * @param mayHaveRow - Whether the post is without a row, or with one that a new round may follow.
 */
export function skippedPosts(
  skipped: readonly SkippedWish[],
  truth: GuildTruth,
  mayHaveRow: (one: SkippedWish) => boolean,
): Post[] {
  const common = new Set(truth.existing.filter(({ standsFor }) => standsFor !== undefined).map(commonKeyOfRow));
  const groups = Map.groupBy(skipped, ({ wish, revision }) => commonKey(wish, revision));
  return [...groups].flatMap(([key, group]) => {
    if (common.has(key)) return [];
    const missing = group.filter((one) => mayHaveRow(one));
    const own = missing.slice(0, Math.max(0, MAX_SKIPPED_ROWS - (group.length - missing.length)));
    const [first, ...others] = missing.slice(own.length);
    const rows = own.map((one) => skippedPost(truth, one));
    return first === undefined ? rows : [...rows, commonPost(truth, first, others.length)];
  });
}

function skippedPost(truth: GuildTruth, { wish, row, reason }: SkippedWish): Post {
  return settledPost(truth, wish, (row?.round ?? 0) + 1, { state: "skipped", reason });
}

function commonPost(truth: GuildTruth, first: SkippedWish, others: number): Post {
  const { reason, ...post } = skippedPost(truth, first);
  const posts = others === 1 ? "1 other post" : `${others} other posts`;
  const stands = `this row stands for ${posts} of the announcement, and for further ones until it is changed`;
  return { ...post, standsFor: first.revision, reason: `${reason}; ${stands}` };
}

function commonKeyOfRow({ standsFor = 0, ...row }: Post): string {
  return commonKey(row, standsFor);
}

function commonKey({ announcementId, sink }: Pick<Wish, "announcementId" | "sink">, revision: number): string {
  return `${announcementId}:${sink}:${revision}`;
}
