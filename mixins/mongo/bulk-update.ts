import mongoose from "mongoose";
import { OperationTimeout } from "../async/timeout.ts";

/** A mongoose model, as far as updates of many rows need it. */
export interface UpdatableModel {
  bulkWrite(writes: never[], options: { ordered: false }): Promise<Counts>;
}

interface Counts {
  readonly matchedCount: number;
  readonly upsertedCount: number;
}

/** One update of one row, as MongoDB's command `update` takes it. */
export interface UpdateStatement {
  readonly q: object;
  readonly u: object;
  readonly upsert?: boolean;
}

interface BulkUpdateResult {
  /** How many rows were as they had to be, or were inserted. */
  readonly n: number;
  /** What the database refused, by its place. */
  readonly refused: ReadonlyMap<number, RefusedUpdate>;
}

interface RefusedUpdate {
  readonly code: number;
  readonly errmsg: string;
}

/**
 * Makes many updates in one command, none of which keeps another from happening; what is answered is on a majority's
 * journals. Where it rejects, each may have happened or not.
 */
export async function bulkUpdate(
  model: UpdatableModel,
  updates: readonly UpdateStatement[],
): Promise<BulkUpdateResult> {
  const writes = updates.map(({ q, u, upsert = false }) => ({ updateOne: { filter: q, update: u, upsert } }));
  try {
    return { n: countOf(await model.bulkWrite(writes as never[], { ordered: false })), refused: new Map() };
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
    const concern = error.result.getWriteConcernError();
    if (concern !== undefined) throw new OperationTimeout(`no majority: ${concern.errmsg}`);
    const refused = error.result
      .getWriteErrors()
      .map(({ index, code, errmsg = "" }) => [index, { code, errmsg }] as const);
    return { n: countOf(error), refused: new Map(refused) };
  }
}

function countOf({ matchedCount, upsertedCount }: Counts): number {
  return matchedCount + upsertedCount;
}
