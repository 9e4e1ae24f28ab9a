import type { Connection } from "mongoose";
import { findRows } from "../../../mixins/mongo/find-command.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import type { EventId } from "../../contracts/ids.ts";
import { type AnyRow, ID_INDEX } from "./calendar-event.document.ts";

/** The fields by which an import recognizes an event. */
export interface EventKey {
  readonly id: EventId;
  /** The UID of the VEVENT from which it was imported. */
  readonly uid?: string;
  readonly hasOverrides: boolean;
  /** Whether it was split from another series (D51). */
  readonly isLaterPart: boolean;
}

/** The events of a calendar after an id, in the order of their ids. */
export type ReadEventKeys = (of: CalendarReference, after: string, limit: number) => Promise<EventKey[]>;

/** Needs the model of `calendarEventsStore`. */
export function eventKeysReader(connection: Connection): ReadEventKeys {
  return async ({ guildId, calendarNumber }, after, limit) => {
    const filter = { guildId, calendarNumber, _id: { $gt: after }, original: { $exists: false } };
    const projection = { uid: 1, hasOverrides: 1, follows: 1 } as const;
    const read = { filter, projection, sort: { _id: 1 }, hint: ID_INDEX, limit } as const;
    type KeyRow = Pick<AnyRow, "_id" | "uid" | "hasOverrides" | "follows">;
    const rows = await findRows<KeyRow>(connection.model("CalendarEvent"), read);
    return rows.map(({ _id, uid, hasOverrides = false, follows = [] }): EventKey => {
      const key = { id: _id as EventId, hasOverrides, isLaterPart: follows.length > 0 };
      return uid === undefined ? key : Object.assign(key, { uid });
    });
  };
}
