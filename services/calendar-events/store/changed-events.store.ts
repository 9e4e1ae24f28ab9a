import type { Connection } from "mongoose";
import { changedRecords } from "../../../mixins/mongo/changed-records.ts";
import type { ChangedEvent, ChangedRecords, ChangedRecordsParams } from "../../contracts/guild-changes.contract.ts";
import { calendarByNumber } from "../domain/calendar/calendar.ts";
import { eventView } from "../domain/event/event.ts";
import { type AnyRow, type EventRow, FEED_INDEX, LIST_PROJECTION, listedEventOf } from "./calendar-event.document.ts";
import type { CalendarsStore } from "./calendars.store.ts";

const { calendarNumber: _, ...PROJECTION } = LIST_PROJECTION;

type ChangedRow = Omit<EventRow, keyof typeof PROJECTION>;

/**
 * Reads the events of a guild that changed after a position. An override has no time of its last write: its series, which
 * has a new revision with each change of an occurrence, is returned. Needs the model of events on the connection.
 */
export function changedEventsReader(
  connection: Connection,
  calendars: Pick<CalendarsStore, "list">,
): (params: ChangedRecordsParams) => Promise<ChangedRecords<ChangedEvent>> {
  return ({ guildId, ...params }) => {
    const model = connection.model<AnyRow>("CalendarEvent");
    const records = {
      model,
      filter: { guildId },
      stamp: "changedAt",
      hint: FEED_INDEX,
      projection: PROJECTION,
    } as const;
    return changedRecords<ChangedRow, ChangedEvent>(records, params, async (rows) => {
      // The times of a series, and those of dates, depend on the zone of the calendar.
      const written = rows.some((row) => (row.recurrence ?? row.days) !== undefined)
        ? await calendars.list(guildId)
        : [];
      return rows.map((row) => {
        const event = listedEventOf(row);
        const { calendarNumber } = row;
        const view = eventView(event, calendarByNumber(guildId, written, calendarNumber));
        const hasChanged = event.recurring?.hasOverrides === true;
        return { ...view, calendarNumber, ...(hasChanged ? { hasChangedOccurrences: true } : {}) };
      });
    });
  };
}
