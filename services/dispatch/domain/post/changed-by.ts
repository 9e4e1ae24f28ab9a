import type { ChangeOrigin } from "../../../contracts/contract.ts";
import type { CurrentState } from "../plan/current-state.ts";

/** The request that last changed the announcement or the event of a post; undefined if none is known. */
export function changedBy({ announcement, occurrence }: CurrentState): ChangeOrigin | undefined {
  const [one, other] = [announcement?.changedBy, occurrence?.changedBy];
  if (one === undefined || other === undefined) return one ?? other;
  return one.at > other.at ? one : other;
}
