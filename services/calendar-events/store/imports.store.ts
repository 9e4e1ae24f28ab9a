import { type Connection, Schema } from "mongoose";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { calendarRowId } from "./calendars.store.ts";

/** The lease of the import that writes a calendar, or of the last one that did. */
interface ImportRow {
  /** The id of the calendar's row. */
  readonly _id: string;
  readonly importId: string;
  /** By the clock of the database server. */
  readonly until: Date;
}

const schema = new Schema<ImportRow>(
  { _id: { type: String, required: true }, importId: String, until: Date } satisfies Record<keyof ImportRow, unknown>,
  { collection: "calendar_imports", versionKey: false },
);

/**
 * Time for which an import has its calendar after a call begins. Every write of the call begins earlier (`WRITE_DEADLINE_MS`),
 * so that two imports never write one calendar at the same time.
 */
const LEASE_MS: EpochMs = 10_000;

export interface ImportsStore {
  /** Takes or renews the lease of the calendar; false while another import has it. */
  lease(of: ImportLease): Promise<boolean>;
  /** Ends the lease. */
  release(of: ImportLease): Promise<void>;
}

interface ImportLease {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  readonly importId: string;
}

export function importsStore(connection: Connection): ImportsStore {
  const model = connection.model<ImportRow>("CalendarImport", schema);
  return {
    async lease({ guildId, calendarNumber, importId }) {
      const _id = calendarRowId(guildId, calendarNumber);
      const own = { $literal: importId };
      const isFree = { $or: [{ $eq: ["$importId", own] }, { $lte: [{ $ifNull: ["$until", new Date(0)] }, "$$NOW"] }] };
      const taken = (value: object, field: string) => ({ $cond: [isFree, value, field] });
      const fields = {
        importId: taken(own, "$importId"),
        until: taken({ $add: ["$$NOW", LEASE_MS] }, "$until"),
      };
      const options = { updatePipeline: true, upsert: true, returnDocument: "after" } as const;
      const row = await model.findOneAndUpdate({ _id }, [{ $set: fields }], options).lean<ImportRow>();
      return row?.importId === importId;
    },

    async release({ guildId, calendarNumber, importId }) {
      const _id = calendarRowId(guildId, calendarNumber);
      await model.updateOne({ _id, importId }, [{ $set: { until: "$$NOW" } }], { updatePipeline: true });
    },
  };
}
