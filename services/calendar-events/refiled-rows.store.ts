import type { Connection, Model } from "mongoose";
import { type AnyRow, eventOf } from "./calendar-event.document.ts";
import { filingOf } from "./event-filing.ts";

/** What rows were filed by until they got `nodes`: the indexes are there until every row has been filed anew. */
const OLD_INDEXES = new Set(["lastAt", "startsAt"].map((last) => `guildId_1_lane_1_fork_1_phase_1_${last}_1`));
const OLD = { fork: { $exists: true }, phase: { $exists: true } };
const ROWS_AT_ONCE = 1000;

/**
 * Files anew what an older version filed, once: reads find nothing by the old filing. A crash in between leaves the
 * old indexes, so the next start goes on. No row gets a new revision, as nothing that it says has changed.
 */
export async function refileOldRows(connection: Connection): Promise<void> {
  const model = connection.model<AnyRow>("CalendarEvent");
  const indexes = await model.listIndexes();
  const old = indexes.map(({ name }) => String(name)).filter((name) => OLD_INDEXES.has(name));
  if (old.length === 0) return;
  await model.collection.updateMany({ ...OLD, recurrence: { $exists: false } }, { $unset: { phase: "" } });
  await refileSeries(model);
  // Another replica may do the same at this moment.
  await Promise.all(old.map((name) => model.collection.dropIndex(name).catch(unlessGone)));
}

async function refileSeries(model: Model<AnyRow>): Promise<void> {
  let writes: ReturnType<typeof refiled>[] = [];
  const write = async () => {
    if (writes.length > 0) await model.bulkWrite(writes, { ordered: false });
    writes = [];
  };
  for await (const row of model.find(OLD).lean<AnyRow>().cursor()) {
    if (writes.push(refiled(row)) >= ROWS_AT_ONCE) await write();
  }
  await write();
}

function refiled(row: AnyRow) {
  const event = eventOf(row);
  if (event === undefined) throw new Error(`the series ${row._id} is filed, and is a tombstone`);
  return {
    updateOne: {
      // Another revision was filed anew by who wrote it.
      filter: { _id: row._id, revision: row.revision, ...OLD },
      update: { $set: filingOf(event), $unset: { fork: "" as const, lastAt: "" as const } },
    },
  };
}

function unlessGone(error: unknown): void {
  if ((error as { codeName?: unknown }).codeName !== "IndexNotFound") throw error;
}
