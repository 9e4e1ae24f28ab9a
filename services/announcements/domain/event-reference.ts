import type { AnnouncementType } from "../../contracts/announcement-fields.ts";
import type { EventView } from "../../contracts/calendar-events.contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EventId, OccurrenceId } from "../../contracts/ids.ts";

/** Whether the type refers to an event (D23). */
export function usesEvent(type: AnnouncementType): type is "SPECIFIC" | "RECUR" {
  return type === "SPECIFIC" || type === "RECUR";
}

/** The id to look up: RECUR refers to the series, so the suffix of an occurrence is removed (D24). */
export function referredId(type: "SPECIFIC" | "RECUR", eventId: string): string {
  return type === "RECUR" ? (eventId.split("_", 1)[0] ?? eventId) : eventId;
}

/** The reference to store: it must exist, and for RECUR it must recur (D24). */
export function eventReference(
  type: "SPECIFIC" | "RECUR",
  found: Pick<EventView, "eventId" | "recurs"> | null,
): EventId | OccurrenceId | Refusal {
  if (found === null) return refuse("EVENT_NOT_FOUND");
  if (type === "RECUR" && !found.recurs) {
    return refuse("INVALID_REQUEST", [
      { field: "eventId", code: "NOT_ALLOWED", message: "must be an event that recurs when the type is RECUR" },
    ]);
  }
  return found.eventId;
}
