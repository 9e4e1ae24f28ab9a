import { isDeepStrictEqual } from "node:util";
import type { Connection, Model } from "mongoose";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { type AnyRow, eventOf, type EventRow, type OverrideRow } from "./calendar-event.document.ts";
import { unwrittenCalendar } from "../domain/calendar/calendar.ts";
import { type AllDay, timesInAnchorZone } from "../domain/calendar/days.ts";
import { type CalendarEvent, seriesOf, startOf } from "../domain/event/event.ts";
import { occurrenceId } from "../domain/event/occurrence-id.ts";
import type { Series } from "../domain/recurrence/occurrences.ts";
import { originalUnderNewRules } from "../domain/recurrence/original-under-new-rules.ts";
import { newRecurring } from "../domain/recurrence/recurring.ts";
import { indexFieldsOf, movedIndexFields } from "../window-index/entries.ts";
import { allDayOf } from "./recurring-fields.ts";

interface CalendarKey {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
}

/**
 * Computes the index fields of a calendar's series again, by the time zone rules of this process, and stores those
 * that differ. An exception or override names an original start; if the rules have moved that start, it moves too, in
 * a write of the series with a new revision. If the series is written concurrently, that write has computed the
 * fields. The times of dates are stored for the index alone, and are computed again.
 */
export async function reindexSeries(connection: Connection, { guildId, calendarNumber }: CalendarKey): Promise<void> {
  const model = connection.model<AnyRow>("CalendarEvent");
  const rows = model
    .find({ guildId, calendarNumber, $or: [{ recurrence: { $exists: true } }, { days: { $exists: true } }] })
    .lean<AnyRow[]>()
    .cursor();
  for await (const row of rows as AsyncIterable<AnyRow>) {
    if (row.original !== undefined) await reindexMoved(model, row as OverrideRow);
    else {
      const event = eventOf(row);
      if (event?.recurring !== undefined) await reindexOne(connection, model, row, event);
      else if (event?.allDay !== undefined) await reindexAllDay(model, row, event, event.allDay);
    }
  }
}

/** The times of dates, which are stored for the index alone. */
async function reindexAllDay(model: Model<AnyRow>, row: EventRow, event: CalendarEvent, allDay: AllDay) {
  const times = timesInAnchorZone(allDay);
  const { entries, lastAt } = indexFieldsOf({ ...event, ...times });
  await model.updateOne(
    { _id: row._id, guildId: row.guildId, revision: row.revision },
    { $set: { ...times, entries, lastAt } },
  );
}

/** The same for an occurrence that was moved to dates. */
async function reindexMoved(model: Model<AnyRow>, row: OverrideRow) {
  const allDay = allDayOf(row);
  if (allDay === undefined) return;
  const times = timesInAnchorZone(allDay);
  await model.updateOne({ _id: row._id, guildId: row.guildId, days: row.days } as never, {
    $set: { ...times, ...movedIndexFields(times) },
  });
}

async function reindexOne(connection: Connection, model: Model<AnyRow>, row: EventRow, event: CalendarEvent) {
  const series = seriesOf(event, unwrittenCalendar(event.guildId, event.calendarNumber));
  if (event.recurring === undefined || series === undefined) return;
  const { recurrence, anchor, hasOverrides } = event.recurring;
  const exDates = recurrence.exDates?.map((original) => newOriginal(series, original));
  const recurring = newRecurring({ ...recurrence, ...(exDates && { exDates }) }, anchor, startOf(event), hasOverrides);
  const { startsAt, endsAt } = series;
  const { entries, lastAt, repeats } = indexFieldsOf({ ...event, startsAt, endsAt, recurring });
  const indexFields = {
    entries,
    lastAt,
    repeats,
    lastWall: recurring.lastWall,
    startsAt,
    endsAt,
  };
  const moved = hasOverrides ? await movedOverrides(model, row, series) : [];
  const isChanged = moved.length > 0 || !isDeepStrictEqual(exDates, recurrence.exDates);
  if (!isChanged && isDeepStrictEqual(indexFields, storedIndexFields(row))) return;
  const written = isChanged ? { revision: row.revision + 1, changedAt: "$$NOW" } : {};
  const fields = Object.entries({ ...indexFields, "recurrence.exDates": exDates, ...written });
  const set = Object.fromEntries(fields.map(([field, value]) => [field, value ?? "$$REMOVE"]));
  await inTransaction(connection, async (session) => {
    for (const [before, after] of moved) {
      await model.deleteOne({ _id: before._id, guildId: row.guildId }, { session });
      await model.insertMany([after as never], { session, lean: true });
    }
    const unchanged = { _id: row._id, guildId: row.guildId, revision: row.revision };
    const { matchedCount } = await model.updateOne(unchanged, [{ $set: set }], { updatePipeline: true, session });
    if (matchedCount === 0) await session.abortTransaction();
  });
}

function storedIndexFields({ entries, lastAt, repeats, lastWall, startsAt, endsAt }: EventRow): object {
  return { entries, lastAt, repeats, lastWall, startsAt, endsAt };
}

/** The new original start of the occurrence; the same one if the rule has no date there. */
function newOriginal(series: Series, original: EpochMs): EpochMs {
  return originalUnderNewRules(series, original) ?? original;
}

/** The overrides whose original starts have moved: before and after. */
async function movedOverrides(
  model: Model<AnyRow>,
  { _id: eventId, guildId }: EventRow,
  series: Series,
): Promise<(readonly [OverrideRow, OverrideRow])[]> {
  const rows = await model.find({ guildId, eventId } as never).lean<OverrideRow[]>();
  const taken = new Set(rows.map(({ original }) => original));
  return rows.flatMap((row) => {
    const original = newOriginal(series, row.original);
    if (taken.has(original)) return [];
    return [[row, { ...row, _id: occurrenceId(row.eventId, original), original }] as const];
  });
}
