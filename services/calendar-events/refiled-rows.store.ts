import type { Connection, Model } from "mongoose";
import { type AnyRow, eventOf, isOverrideRow } from "./calendar-event.document.ts";
import { MOVED } from "./domain/lanes.ts";
import { filedOnce, type Filing, filingOf } from "./event-filing.ts";

/** By what older versions filed: their indexes are there until every row has been filed anew. */
const OLD_FIELDS = ["fork", "phase", "nodes"] as const;
const OLD = { $or: OLD_FIELDS.map((field) => ({ [field]: { $exists: true } })) };
const ROWS_AT_ONCE = 1000;

/**
 * Files anew what an older version filed, once: reads find nothing by the old filing. A crash in between leaves the
 * old indexes, so the next start goes on. No row gets a new revision, as nothing that it says has changed.
 */
export async function refileOldRows(connection: Connection): Promise<void> {
  const model = connection.model<AnyRow>("CalendarEvent");
  const indexes = (await model.listIndexes()) as { name: string; key: object }[];
  const old = indexes.filter(({ key }) => OLD_FIELDS.some((field) => field in key));
  if (old.length === 0) return;
  await refileRows(model);
  // Another replica may do the same at this moment.
  await Promise.all(old.map(({ name }) => model.collection.dropIndex(name).catch(unlessGone)));
}

async function refileRows(model: Model<AnyRow>): Promise<void> {
  let writes: ReturnType<typeof refiled>[] = [];
  const write = async () => {
    if (writes.length > 0) await model.collection.bulkWrite(writes as never, { ordered: false });
    writes = [];
  };
  for await (const row of model.find(OLD).lean<AnyRow>().cursor()) {
    if (writes.push(refiled(row)) >= ROWS_AT_ONCE) await write();
  }
  await write();
}

function refiled(row: AnyRow) {
  const { lastAt, ...filing } = newFiling(row);
  const gone = Object.fromEntries(
    [...OLD_FIELDS, ...(lastAt === undefined ? ["lastAt"] : [])].map((each) => [each, ""]),
  );
  return {
    updateOne: {
      // Another revision was filed anew by who wrote it; an override that was moved again, by its times.
      filter: { _id: row._id, revision: row.revision, startsAt: row.startsAt, endsAt: row.endsAt, ...OLD },
      update: { $set: lastAt === undefined ? filing : { ...filing, lastAt }, $unset: gone },
    },
  };
}

function newFiling(row: AnyRow): Filing {
  if (isOverrideRow(row)) return filedOnce(row, MOVED, row);
  const event = eventOf(row);
  if (event === undefined) throw new Error(`the series ${row._id} is filed, and is a tombstone`);
  return filingOf(event);
}

function unlessGone(error: unknown): void {
  if ((error as { codeName?: unknown }).codeName !== "IndexNotFound") throw error;
}
