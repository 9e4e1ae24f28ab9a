import { sampleTruth } from "./dispatch-samples.ts";
import { planPosts, updated } from "./plan-posts.ts";
import type { GuildTruth, PlanChanges } from "./plan-truth.ts";
import type { Post } from "./post.ts";

/** What the plan of a sample guild changes. */
export function plan(truth: Partial<GuildTruth> = {}): PlanChanges {
  const { inserts, updates, removes } = planPosts(sampleTruth(truth));
  return { inserts, updates, removes };
}

/** The guild's rows after the plan is stored. */
export function planned(truth: Partial<GuildTruth>): Post[] {
  const { inserts, updates, removes } = plan(truth);
  const rows = new Map([...(truth.existing ?? []), ...inserts].map((row) => [row.id, row]));
  for (const update of updates) rows.set(update.id, updated(rows.get(update.id) as Post, update));
  for (const { id } of removes) rows.delete(id);
  return [...rows.values()];
}

/** The first post of the plan of a sample guild. */
export function onePlanned(truth: Partial<GuildTruth> = {}): Post {
  const [post] = plan(truth).inserts;
  if (post === undefined) throw new Error("nothing is planned");
  return post;
}
