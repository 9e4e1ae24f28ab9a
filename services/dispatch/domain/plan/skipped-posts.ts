import type { Post } from "../post/post.ts";
import { type DesiredPost } from "./desired-posts.ts";
import type { PlanInput } from "./plan-input.ts";
import { settledPost } from "./settled-post.ts";

/**
 * Largest number of rows that one announcement gets for skipped posts of one sink. A guild may have ten million pairs of an
 * announcement and an occurrence, and an announcement that is created or changed may skip all of its own.
 */
export const MAX_SKIPPED_ROWS = 10;

/** A desired post that is skipped. */
export interface SkippedPost {
  readonly post: DesiredPost;
  readonly reason: string;
  /** The latest row of the post. */
  readonly row: Post | undefined;
  /** Revision of the announcement. */
  readonly revision: number;
}

/**
 * The missing rows of skipped posts: for each announcement and sink the first MAX_SKIPPED_ROWS, and a summary of the others.
 * An announcement with a summary gets no further rows until it is changed.
 *
 * @param skipped - In the order of the plan; includes posts that have their row.
 * @param mayInsert - Whether the post has no row, or one that a new round may follow.
 */
export function skippedPosts(
  skipped: readonly SkippedPost[],
  input: PlanInput,
  mayInsert: (skippedPost: SkippedPost) => boolean,
): Post[] {
  const summaries = new Set(input.existing.filter(({ summaryOf }) => summaryOf !== undefined).map(keyOfSummary));
  const groups = Map.groupBy(skipped, ({ post, revision }) => summaryKey(post, revision));
  return [...groups].flatMap(([key, group]) => {
    if (summaries.has(key)) return [];
    const missing = group.filter((skippedPost) => mayInsert(skippedPost));
    const own = missing.slice(0, Math.max(0, MAX_SKIPPED_ROWS - (group.length - missing.length)));
    const [first, ...others] = missing.slice(own.length);
    const rows = own.map((skippedPost) => rowOf(input, skippedPost));
    if (first !== undefined) rows.push(summaryRow(input, first, others.length));
    return rows;
  });
}

function rowOf(input: PlanInput, { post, row, reason }: SkippedPost): Post {
  return settledPost(input, post, (row?.round ?? 0) + 1, { state: "skipped", reason });
}

function summaryRow(input: PlanInput, first: SkippedPost, others: number): Post {
  const { reason, ...row } = rowOf(input, first);
  const posts = others === 1 ? "1 other post" : `${others} other posts`;
  const stands = `this row stands for ${posts} of the announcement, and for further ones until it is changed`;
  return { ...row, summaryOf: first.revision, reason: `${reason}; ${stands}` };
}

function keyOfSummary({ summaryOf = 0, ...row }: Post): string {
  return summaryKey(row, summaryOf);
}

function summaryKey({ announcementId, sink }: Pick<DesiredPost, "announcementId" | "sink">, revision: number): string {
  return `${announcementId}:${sink}:${revision}`;
}
