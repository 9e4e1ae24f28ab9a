import type { EditScope } from "../../../contracts/calendar-events.contract.ts";
import { refuse, type Refusal } from "../../../contracts/errors.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Calendar } from "../calendar/calendar.ts";
import type { EffectiveOccurrence } from "./effective-occurrence.ts";
import { seriesOf, type StoredEvent } from "./event.ts";

/** The part of an event that a write changes: all, one occurrence, or the occurrences from one on that is not the first. */
export type Edit = { readonly scope: "all" } | { readonly scope: "this" | "following"; readonly original: EpochMs };

/** The event or occurrence that the id of a write stands for. */
interface Edited {
  readonly event: StoredEvent;
  readonly calendar: Calendar;
  readonly occurrence?: EffectiveOccurrence;
}

/**
 * The part of an event that a write with a scope changes (D51). A single event is its only occurrence, so that each scope means
 * the event. `following` of the first occurrence is the whole series. The id of a series names no occurrence: `this` and
 * `following` are refused.
 */
export function editOf({ event, calendar, occurrence }: Edited, scope: EditScope | undefined): Edit | Refusal {
  if (event.recurring === undefined) return { scope: "all" };
  const original = occurrence?.ruleOccurrence?.original;
  if (original === undefined) return scope === undefined || scope === "all" ? { scope: "all" } : needsOccurrence();
  if (scope === undefined) return { scope: "this", original };
  const isFirst = seriesOf(event, calendar)?.startsAt === original;
  return scope === "all" || (scope === "following" && isFirst) ? { scope: "all" } : { scope, original };
}

function needsOccurrence(): Refusal {
  const message = "must be all or absent: event_id is the id of a series, and names no occurrence";
  return refuse("INVALID_REQUEST", [{ field: "scope", code: "CONFLICTING", message }]);
}
