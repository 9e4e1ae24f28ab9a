import type { ChangeOrigin } from "../../../contracts/contract.ts";
import type { PostTruth } from "../plan/current-state.ts";

/** The later of the requests that last changed the announcement and the event of a post; undefined where none is known. */
export function changedBy({ announcement, occurrence }: PostTruth): ChangeOrigin | undefined {
  const [one, other] = [announcement?.changedBy, occurrence?.changedBy];
  if (one === undefined || other === undefined) return one ?? other;
  return one.at > other.at ? one : other;
}
