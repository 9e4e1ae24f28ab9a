import mongoose, { type Connection } from "mongoose";
import {
  documentOf,
  type EventRow,
  eventSchema,
} from "../../services/calendar-events/store/calendar-event.document.ts";
import { newEvent } from "../../services/calendar-events/domain/event/create-event.ts";
import { newEventId } from "../../services/calendar-events/domain/event/event-id.ts";
import { unwrittenCalendar } from "../../services/calendar-events/domain/calendar/calendar.ts";
import type { CreateEventParams } from "../../services/contracts/calendar-events.contract.ts";
import { isRefusal } from "../../services/contracts/errors.ts";
import type { GuildId } from "../../services/contracts/ids.ts";

const AT_ONCE = 5_000;

/** Writes many events directly to the database, which takes less time than through the service. */
export interface FilledCalendar {
  readonly connection: Connection;
  fill(guildId: GuildId, events: readonly Omit<CreateEventParams, "guildId" | "calendarNumber">[]): Promise<void>;
}

export async function openCalendar(mongoUrl: string): Promise<FilledCalendar> {
  const connection = await mongoose.createConnection(mongoUrl, { autoIndex: false }).asPromise();
  const model = connection.model<EventRow>("CalendarEvent", eventSchema);
  await model.createIndexes();
  let written = 0;
  return {
    connection,
    async fill(guildId, events) {
      for (let at = 0; at < events.length; at += AT_ONCE) {
        const rows = events.slice(at, at + AT_ONCE).map((event) => rowOf({ ...event, guildId, calendarNumber: 1 }));
        await model.collection.insertMany(rows, { ordered: false });
      }
    },
  };

  function rowOf(params: CreateEventParams): object {
    written += 1;
    const event = newEvent(params, newEventId(written, new Uint8Array(15)), unwrittenCalendar(params.guildId, 1));
    if (isRefusal(event)) throw new Error(JSON.stringify(event));
    const now = new Date();
    return { ...documentOf(event), changedAt: now, scheduledAt: now, coloredAt: now };
  }
}
