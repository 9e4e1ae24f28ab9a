import { optimisticWrite } from "../../mixins/mongo/optimistic-write.ts";
import { WriteQueue } from "../../mixins/mongo/write-queue.ts";
import type { CalendarReference } from "../contracts/calendars.contract.ts";
import { isRefusal, type Refusal } from "../contracts/errors.ts";
import { type IfRevision, revisionMismatch } from "../contracts/revision.ts";
import type { Calendar, ChangedCalendar } from "./domain/calendar/calendar.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";

type Decision = ChangedCalendar | Refusal;

/** Writes a calendar: loads, decides, saves. Resolves with the stored revision. */
export type WriteCalendar = (
  of: CalendarReference & IfRevision,
  decide: (stored: Calendar) => Decision | Promise<Decision>,
) => Promise<number | Refusal>;

/** The writes of one calendar run one after the other. */
export function calendarWrites(calendars: CalendarsStore): WriteCalendar {
  const queue = new WriteQueue();
  return async ({ guildId, calendarNumber, ifRevision }, decide) => {
    const changed = await queue.run(`${guildId}/${calendarNumber}`, () =>
      optimisticWrite({
        load: () => calendars.find(guildId, calendarNumber),
        decide: (stored) => revisionMismatch(stored.revision, ifRevision) ?? decide(stored),
        save: (next) => calendars.replace(next),
        findEarlierAttempt: () => calendars.revisionWritten(guildId, calendarNumber),
      }),
    );
    return isRefusal(changed) || typeof changed === "number" ? changed : changed.calendar.revision;
  };
}
