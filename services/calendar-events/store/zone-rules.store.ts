import { type Connection, Schema } from "mongoose";
import type { GuildId } from "../../contracts/ids.ts";
import { reindexSeries } from "./reindex-series.store.ts";

/** By which rules of time zones what is stored was filed. */
export interface IndexedZoneRules {
  /** A digest of each zone's rules, by name. */
  readonly digests: Readonly<Record<string, string>>;
  /** The zones whose rules changed last. */
  readonly changed: readonly string[];
  /** Whether their calendars were filed a second time. */
  readonly isSettled: boolean;
}

interface ZoneRulesRow extends IndexedZoneRules {
  readonly _id: string;
  /** When the change was noticed; database time. */
  readonly since: Date;
}

const schema = new Schema<ZoneRulesRow>(
  {
    _id: { type: String, required: true },
    digests: Object,
    changed: { type: [String], default: undefined },
    isSettled: Boolean,
    since: Date,
  },
  { collection: "zone_rules", versionKey: false },
);

/** There is one row. */
const ID = "filed by";

export interface ZoneRulesStore {
  /** With how long ago the last change was noticed. */
  indexedRules(): Promise<(IndexedZoneRules & { readonly ageMs: number }) | undefined>;
  save(indexedRules: IndexedZoneRules): Promise<void>;
  /**
   * Files the series of all calendars that have or had one of the zones, and says in the change feed that the calendars have
   * changed. Their revisions stay: nothing that they show has changed.
   */
  reindex(zones: readonly string[]): Promise<void>;
}

/** Needs the models of events and calendars on the connection. */
export function zoneRulesStore(connection: Connection): ZoneRulesStore {
  const model = connection.model<ZoneRulesRow>("ZoneRules", schema);
  return {
    async indexedRules() {
      const age = { $set: { ageMs: { $toDouble: { $subtract: ["$$NOW", "$since"] } } } };
      const rows = await model.aggregate<ZoneRulesRow & { readonly ageMs: number }>([{ $match: { _id: ID } }, age]);
      return rows[0];
    },

    async save({ digests, changed, isSettled }) {
      const row = { $mergeObjects: [{ $literal: { _id: ID, digests, changed, isSettled } }, { since: "$$NOW" }] };
      await model.updateOne({ _id: ID }, [{ $replaceWith: row }], { updatePipeline: true, upsert: true });
    },

    async reindex(zones) {
      const calendars = connection.model<{ readonly guildId: GuildId; readonly calendarNumber: number }>("Calendar");
      const affected = calendars
        .find({ "zoneChanges.timezone": { $in: [...zones] } }, { guildId: 1, calendarNumber: 1 })
        .lean()
        .cursor();
      for await (const { _id, guildId, calendarNumber } of affected) {
        await reindexSeries(connection, { guildId, calendarNumber });
        await calendars.updateOne({ _id }, [{ $set: { changedAt: "$$NOW" } }], { updatePipeline: true });
      }
    },
  };
}
