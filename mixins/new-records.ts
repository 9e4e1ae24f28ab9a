import mongoose from "mongoose";
import { within } from "./bounded-answers.ts";
import { DUPLICATE_KEY, type stampedReplacement, type Tracked } from "./change-feed.ts";
import { isDatabaseOutOfReach } from "./database.mixin.ts";
import { runInSession } from "./kept-sessions.ts";
import { databaseOf, type Readable } from "./short-reads.ts";
import { together } from "./together.ts";
import {
  type Concerned,
  needMajority,
  ON_A_MAJORITY,
  type UpdateStatement,
  updateTogether,
} from "./written-together.ts";

/** Whoever asked has given up by then; one that never answers must not hold its place for ever. */
const ANSWERS_MS = 10_000;

/** More than this in one command are two. */
const MOST = 100;

/** A record's first revision, and with what it is stored. */
export interface Insert {
  readonly record: Pick<Tracked, "_id">;
  readonly replacement: ReturnType<typeof stampedReplacement>;
}

/**
 * Stores first revisions; those that come together are one command: by eights each costs the database a fifth of
 * what it does alone. False where another record has the id; each resolves when it is durable.
 *
 * `$merge` inserts, at once, what `$documents` makes of expressions: an insert can't say `$$NOW`. It tells one id alone that
 * is taken, and what became of the others nobody knows, as when the primary was lost. Then each is put where there is none.
 * What is there by then was stored by the first try: so this is for records whose ids are random.
 */
export function newRecords(model: Readable): (insert: Insert) => Promise<boolean> {
  async function insertAll(inserts: readonly Insert[]): Promise<void> {
    const reply: Concerned = await runInSession(databaseOf(model), {
      aggregate: 1,
      pipeline: [
        { $documents: inserts.map(({ replacement: [{ $replaceWith: record }] }) => record) },
        { $merge: { into: model.collection.name, whenMatched: "fail" } },
      ],
      cursor: {},
      writeConcern: ON_A_MAJORITY,
    });
    needMajority(reply);
  }

  async function putAll(inserts: readonly Insert[], taken: unknown): Promise<(boolean | Error)[]> {
    const { refused } = await updateTogether(model, inserts.map(statementOf));
    return inserts.map(({ record: { _id } }, at) => {
      const problem = refused.get(at);
      // By the first try, which was still under way.
      return problem === undefined || problem.code === DUPLICATE_KEY ? _id !== taken : new Error(problem.errmsg);
    });
  }

  async function insertSurely(inserts: readonly Insert[]): Promise<readonly (boolean | Error)[]> {
    try {
      await insertAll(inserts);
      return inserts.map(() => true);
    } catch (error) {
      const taken = takenId(error);
      // Nobody was found to ask, for seconds.
      const isUnsent = error instanceof mongoose.mongo.MongoServerSelectionError;
      if (isUnsent || (taken === undefined && !isDatabaseOutOfReach(error))) throw error;
      return putAll(inserts, taken);
    }
  }

  return together((inserts) => within(ANSWERS_MS, "a command of new records", insertSurely(inserts)), {
    most: MOST,
  });
}

const IS_NEW = { $eq: [{ $type: "$revision" }, "missing"] };

/** Puts the record where there is none, and leaves one that is there as it is. */
function statementOf({ record: { _id }, replacement: [{ $replaceWith: record }] }: Insert): UpdateStatement {
  return { q: { _id }, u: [{ $replaceWith: { $cond: [IS_NEW, record, "$$ROOT"] } }], upsert: true };
}

/** The id that another record has, where the database told one. */
function takenId(error: unknown): unknown {
  const { code, keyValue } = error as { readonly code?: unknown; readonly keyValue?: { readonly _id?: unknown } };
  return code === DUPLICATE_KEY ? keyValue?._id : undefined;
}
