import type { Post } from "../post/post.ts";
import type { PlanChanges } from "./plan.ts";
import type { PlanInput } from "./plan-input.ts";
import { applyUpdate } from "./plan-posts.ts";

/** The guild's rows after the changes. */
export function postsAfter(
  { existing }: Pick<PlanInput, "existing">,
  { inserts, updates, removes }: PlanChanges,
): Post[] {
  const byId = new Map(existing.map((row) => [row.id, row]));
  for (const post of inserts) byId.set(post.id, post);
  for (const update of updates) {
    const row = byId.get(update.id);
    if (row !== undefined) byId.set(update.id, applyUpdate(row, update));
  }
  for (const { id } of removes) byId.delete(id);
  return [...byId.values()];
}
