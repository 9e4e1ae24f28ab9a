import type { OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";

/**
 * The ids that an occurrence had before its series was split (D51): the same original start in each series that its own
 * follows. If the split gave the following series another start, no occurrence ever had these ids.
 */
export function formerIds({ occurrenceId, eventId, follows = [], recurs }: Occurrence): OccurrenceId[] {
  if (!recurs) return [];
  const original = occurrenceId.slice(eventId.length);
  return follows.map((id) => `${id}${original}` as OccurrenceId);
}
