import type { ImportedOutcome, SkipReason } from "../../contracts/event-import.contract.ts";
import type { Refusal } from "../../contracts/errors.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import type { CalendarEvent } from "../domain/event/event.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";
import type { CostlyDecisions } from "./costly-decisions.ts";

/** The calendar that an import writes, and how. */
export interface ImportTarget {
  readonly store: CalendarEventsStore;
  readonly calendar: Calendar;
  readonly isDryRun: boolean;
  /** Whether the time of the call is over: what is left is sent again. */
  readonly isOver: () => boolean;
  readonly decisions: CostlyDecisions;
  /** Whether the calendar becomes what the body has (D55), so that no split of a series stays. */
  readonly isMirror: boolean;
  /** Called with each event that was written. */
  readonly onWritten: (event: Pick<CalendarEvent, "id" | "guildId" | "revision">) => void;
}

export function skipped(reason: SkipReason): ImportedOutcome {
  return { outcome: "skipped", skipped: reason };
}

/** The outcome of a VEVENT whose write was refused. Every refusal but that of a full guild counts as a conflict. */
export function skippedBy(refusal: Refusal): ImportedOutcome {
  return skipped(refusal.refusal === "TOO_MANY_EVENTS" ? "TOO_MANY_EVENTS" : "WRITE_CONFLICT");
}
