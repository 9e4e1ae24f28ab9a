import mongoose from "mongoose";
import { within } from "./bounded-answers.ts";
import { DUPLICATE_KEY, type stampedReplacement, type Tracked } from "./change-feed.ts";
import { isDatabaseOutOfReach } from "./database.mixin.ts";
import type { Readable } from "./short-reads.ts";
import { together, type UpdateStatement, updateTogether } from "./written-together.ts";

/** Whoever asked has given up by then; one that never answers must not hold its place for ever. */
const ANSWERS_MS = 10_000;

/** A record's first revision, and with what it is stored. */
export interface Insert {
  readonly record: Pick<Tracked, "_id">;
  readonly replacement: ReturnType<typeof stampedReplacement>;
}

/**
 * Stores first revisions; those that come together are one command, which costs the database half as much for each. False
 * where another record has the id; each resolves when it is durable.
 *
 * It is tried once more when nobody knows what became of it, as when the primary was lost. An id that is taken then was
 * taken by the first try: so this is for records whose ids are random.
 */
export function newRecords(model: Readable): (insert: Insert) => Promise<boolean> {
  async function insertAll(inserts: readonly Insert[], again: boolean): Promise<(boolean | Error)[]> {
    const { inserted, refused } = await updateTogether(model, inserts.map(statementOf));
    return inserts.map((_, at) => {
      if (inserted.has(at)) return true;
      const problem = refused.get(at);
      return problem === undefined || problem.code === DUPLICATE_KEY ? again : new Error(problem.errmsg);
    });
  }

  async function insertSurely(inserts: readonly Insert[]): Promise<(boolean | Error)[]> {
    try {
      return await insertAll(inserts, false);
    } catch (error) {
      // Nobody was found to ask, for seconds.
      const isUnsent = error instanceof mongoose.mongo.MongoServerSelectionError;
      if (isUnsent || !isDatabaseOutOfReach(error)) throw error;
      return insertAll(inserts, true);
    }
  }

  return together((inserts) => within(ANSWERS_MS, "a command of new records", insertSurely(inserts)));
}

const IS_NEW = { $eq: [{ $type: "$revision" }, "missing"] };

/**
 * Puts the record where there is none, and leaves one that is there as it is. Asked for by nothing but its id: MongoDB
 * needs no plan for that, which is a third of what such a write costs it.
 */
function statementOf({ record: { _id }, replacement: [{ $replaceWith: record }] }: Insert): UpdateStatement {
  return { q: { _id }, u: [{ $replaceWith: { $cond: [IS_NEW, record, "$$ROOT"] } }], upsert: true };
}
