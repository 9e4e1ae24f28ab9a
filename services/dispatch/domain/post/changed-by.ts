import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { ChangeOrigin } from "../../../contracts/contract.ts";
import type { CurrentState } from "../plan/current-state.ts";
import type { Post } from "./post.ts";

/**
 * The request that last changed the announcement or the event of a post; undefined if none is known, or if one of them was deleted:
 * the request of the deletion is not known.
 */
export function changedBy({
  announcement,
  occurrence,
}: Pick<CurrentState, "announcement" | "occurrence">): ChangeOrigin | undefined {
  if (announcement === null || occurrence === null) return undefined;
  const [one, other] = [announcement.changedBy, occurrence.changedBy];
  if (one === undefined || other === undefined) return one ?? other;
  return one.at > other.at ? one : other;
}

/** The field of a post with that request; without it if no request is known. */
export function changedByOf(state: Parameters<typeof changedBy>[0]): Pick<Post, "changedBy"> {
  return definedFields({ changedBy: changedBy(state) });
}
