import { type Connection, Schema } from "mongoose";
import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import {
  type ChangeFeed,
  changeFeed,
  saveRevision,
  stampedReplacement,
  unchangedFields,
} from "../../../mixins/mongo/change-feed.ts";
import { changedRecords } from "../../../mixins/mongo/changed-records.ts";
import { type Tracked, trackedIndexes, trackedPaths } from "../../../mixins/mongo/tracked-record.ts";
import { batchedFind } from "../../../mixins/mongo/batched-find.ts";
import { reachedInstant } from "../../../mixins/mongo/reached-instant.ts";
import { revisionWritten } from "../../../mixins/mongo/recent-writes.ts";
import type { CalendarView } from "../../contracts/calendars.contract.ts";
import type { ChangedRecords, ChangedRecordsParams } from "../../contracts/guild-changes.contract.ts";
import type { Pause } from "../../contracts/pause.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import {
  type Calendar,
  calendarView,
  type ChangedCalendar,
  type Follow,
  unwrittenCalendar,
} from "../domain/calendar/calendar.ts";
import { changedReading, readingPaths, type ReadingRow } from "./follow-reading.document.ts";

export interface CalendarRow extends Tracked, Pause {
  readonly calendarNumber: number;
  readonly name?: string;
  readonly zoneChanges: readonly { readonly version: number; readonly timezone: string; readonly since: Date }[];
  readonly furtherZones?: readonly string[];
  readonly follow?: Follow;
  /** The outcome of the reads of its address. It changes without a revision. */
  readonly reading?: ReadingRow;
}

const schema = new Schema<CalendarRow>(
  {
    _id: { type: String, required: true },
    ...trackedPaths,
    calendarNumber: Number,
    name: String,
    zoneChanges: [{ version: Number, timezone: String, since: Date, _id: false }],
    furtherZones: { type: [String], default: undefined },
    follow: { type: { url: String, followedAt: Number, disabledAt: Number }, _id: false },
    reading: { type: readingPaths, _id: false },
    pausedUntil: Number,
    pauseEndedAt: Number,
  } satisfies Record<keyof CalendarRow, unknown>,
  { collection: "calendars", versionKey: false },
);
for (const [keys, options] of trackedIndexes) schema.index(keys, options);
const GUILD_INDEX = { guildId: 1, calendarNumber: 1 } as const;
schema.index(GUILD_INDEX);
/** The addresses that are due, and those whose reader has vanished. A guild has one reader at a time. */
schema.index({ "reading.nextAt": 1 }, { sparse: true });
schema.index({ "reading.leaseUntil": 1 }, { sparse: true });
schema.index(
  { guildId: 1 },
  { name: "one_reader", unique: true, partialFilterExpression: { "reading.leaseUntil": { $exists: true } } },
);

export interface CalendarsStore extends ChangeFeed {
  find(guildId: GuildId, calendarNumber: number): Promise<Calendar>;
  /** The calendars of the guild that were written, by number. */
  list(guildId: GuildId): Promise<Calendar[]>;
  /** Stores the next revision; false if another write was stored in the meantime. */
  replace(next: ChangedCalendar): Promise<boolean>;
  /** The revision that another attempt of the current write has stored; undefined if none has. */
  revisionWritten(guildId: GuildId, calendarNumber: number): Promise<number | undefined>;
  /** The calendars of a guild that changed after a position. */
  listChanged(params: ChangedRecordsParams): Promise<ChangedRecords<CalendarView>>;
}

export function calendarsStore(connection: Connection): CalendarsStore {
  const model = connection.model<CalendarRow>("Calendar", schema);
  const read = batchedFind(model, {});
  return {
    async find(guildId, calendarNumber) {
      const row = await read({ _id: calendarRowId(guildId, calendarNumber), guildId });
      return row === null ? unwrittenCalendar(guildId, calendarNumber) : calendarOf(row);
    },

    async list(guildId) {
      const rows = await model.find({ guildId }).sort({ calendarNumber: 1 }).lean<CalendarRow[]>();
      return rows.map(calendarOf);
    },

    replace({ calendar, newZone, reading }) {
      const { zoneChanges, ...fields } = calendar;
      const stored = zoneChanges.map(({ version, timezone, since }) => ({ version, timezone, since: new Date(since) }));
      const record = { _id: calendarRowId(calendar.guildId, calendar.calendarNumber), ...fields };
      const replacement = stampedReplacement(record, [], {
        zoneChanges: zoneChangesWith(stored, newZone),
        ...reachedInstant("pauseEndedAt", "pausedUntil"),
        ...(reading === undefined ? unchangedFields("reading") : changedReading(reading)),
      });
      return saveRevision(model, record, replacement);
    },

    revisionWritten: (guildId, calendarNumber) =>
      revisionWritten(model, { guildId, _id: calendarRowId(guildId, calendarNumber) }),

    ...changeFeed(model),

    // A guild has at most 1000 calendars, so that they are sorted without an index.
    listChanged: ({ guildId, ...params }) =>
      changedRecords<CalendarRow, CalendarView>(
        { model, filter: { guildId }, stamp: "changedAt", hint: GUILD_INDEX, projection: { writes: 0 } },
        params,
        (rows) => rows.map((row) => calendarView(calendarOf(row))),
      ),
  };
}

/** The expression for the zone changes, with the new zone, if any, from the time of the write. */
function zoneChangesWith(zoneChanges: readonly object[], newZone: ChangedCalendar["newZone"]): object {
  const added = newZone === undefined ? [] : [{ ...newZone, timezone: { $literal: newZone.timezone }, since: "$$NOW" }];
  return { $concatArrays: [{ $literal: zoneChanges }, added] };
}

/** The id of a calendar's row. */
export function calendarRowId(guildId: GuildId, calendarNumber: number): string {
  return `${guildId}/${calendarNumber}`;
}

export function calendarOf({
  guildId,
  calendarNumber,
  revision,
  name,
  zoneChanges,
  furtherZones,
  follow,
  pausedUntil,
  pauseEndedAt,
}: CalendarRow): Calendar {
  const changes = zoneChanges.map(({ version, timezone, since }): Calendar["zoneChanges"][number] => {
    const at: EpochMs = since.getTime();
    return { version, timezone, since: at };
  });
  const optional = definedFields({ name, furtherZones, follow, pausedUntil, pauseEndedAt });
  return complete<Calendar>()({ guildId, calendarNumber, revision, ...optional, zoneChanges: changes });
}
