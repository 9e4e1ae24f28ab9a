import { type Connection, Schema } from "mongoose";
import type { GuildId } from "../../contracts/ids.ts";
import { reindexSeries } from "./reindex-series.store.ts";

/** The time zone rules by which the stored index fields were computed. */
export interface IndexedZoneRules {
  /** Digests of the rules, by zone. */
  readonly digests: Readonly<Record<string, string>>;
  /** The zones whose rules changed last. */
  readonly changed: readonly string[];
  /** Whether the calendars of these zones were reindexed a second time, after the rollout. */
  readonly isSettled: boolean;
}

interface ZoneRulesRow extends IndexedZoneRules {
  readonly _id: string;
  /** Time at which the change was noticed, by the clock of the database server. */
  readonly since: Date;
}

const schema = new Schema<ZoneRulesRow>(
  {
    _id: { type: String, required: true },
    digests: Object,
    changed: { type: [String], default: undefined },
    isSettled: Boolean,
    since: Date,
  } satisfies Record<keyof ZoneRulesRow, unknown>,
  { collection: "zone_rules", versionKey: false },
);

/** The id of the only row. */
const ID = "filed by";

export interface ZoneRulesStore {
  /** Reads the row, with the time since the last change. */
  indexedRules(): Promise<(IndexedZoneRules & { readonly ageMs: number }) | undefined>;
  save(indexedRules: IndexedZoneRules): Promise<void>;
  /**
   * Reindexes the series of all calendars that have or had one of the zones, and puts the calendars into the change
   * feed. Their revisions stay, because their views do not change.
   */
  reindex(zones: readonly string[]): Promise<void>;
}

/** The models of events and calendars must exist on the connection. */
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
        .find(
          { $or: ["zoneChanges.timezone", "furtherZones"].map((field) => ({ [field]: { $in: [...zones] } })) } as never,
          {
            guildId: 1,
            calendarNumber: 1,
          },
        )
        .lean()
        .cursor();
      for await (const { _id, guildId, calendarNumber } of affected) {
        await reindexSeries(connection, { guildId, calendarNumber });
        await calendars.updateOne({ _id, guildId }, [{ $set: { changedAt: "$$NOW" } }], { updatePipeline: true });
      }
    },
  };
}
