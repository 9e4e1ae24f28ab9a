import type { EventView } from "../../contracts/calendar-events.contract.ts";
import type { NotifiedOccurrence } from "../../contracts/occurrence-notifications.contract.ts";
import { eventResponseFields } from "../v2/events.wire.ts";
import { encodeFields, INTEGER, type ResponseField, responseFields, shown } from "../wire/response-fields.ts";

type ShownOccurrence = EventView & Pick<NotifiedOccurrence, "calendarNumber">;

const occurrenceFields: readonly ResponseField<ShownOccurrence>[] = [
  ...responseFields<Pick<ShownOccurrence, "calendarNumber">>({ calendarNumber: shown("calendar_number", INTEGER) }),
  ...eventResponseFields,
];

/** An occurrence as JSON, in the form of an occurrence in a list of events (D18), without the rule of its series. */
export function encodedOccurrence({ occurrenceId, eventId: _, ...occurrence }: NotifiedOccurrence): string {
  return JSON.stringify(encodeFields(occurrenceFields, { ...occurrence, eventId: occurrenceId, isParent: false }));
}
