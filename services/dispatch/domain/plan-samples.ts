import { sampleTruth } from "./dispatch-samples.ts";
import { type GuildTruth, type PlanChanges, planPosts, updated } from "./plan-posts.ts";
import type { Post } from "./post.ts";

/** What the plan of a sample guild changes. */
export function plan(truth: Partial<GuildTruth> = {}): PlanChanges {
  const changes = planPosts(sampleTruth(truth));
  if (changes === "too many") throw new Error("too many");
  return changes;
}

/** The guild's rows after the plan is stored. */
export function planned(truth: Partial<GuildTruth>): Post[] {
  const { inserts, updates } = plan(truth);
  const rows = new Map([...(truth.existing ?? []), ...inserts].map((row) => [row.id, row]));
  for (const update of updates) rows.set(update.id, updated(rows.get(update.id) as Post, update));
  return [...rows.values()];
}

/** The first post of the plan of a sample guild. */
export function onePlanned(truth: Partial<GuildTruth> = {}): Post {
  const [post] = plan(truth).inserts;
  if (post === undefined) throw new Error("nothing is planned");
  return post;
}
