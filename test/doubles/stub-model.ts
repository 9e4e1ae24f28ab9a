import mongoose from "mongoose";
import type { InsertableModel } from "../../mixins/mongo/batched-insert.ts";
import type { ReadableModel } from "../../mixins/mongo/find-command.ts";

/** A model whose database responds to each command as the test decides. */
export function stubModel(command: (body: never) => Promise<unknown>): ReadableModel & InsertableModel {
  return {
    db: { db: { command } as never, aggregate: ((pipeline: object[]) => command({ pipeline } as never)) as never },
    collection: { name: "rows" },
    async bulkWrite(writes: readonly Write[]) {
      const updates = writes.map(({ updateOne: { filter, update } }) => ({ q: filter, u: update }));
      const { n, writeErrors = [], writeConcernError } = (await command({ updates } as never)) as Reply;
      const counts = { matchedCount: n - writeErrors.length, upsertedCount: 0 };
      if (writeErrors.length === 0 && writeConcernError === undefined) return counts;
      const result = { getWriteErrors: () => writeErrors, getWriteConcernError: () => writeConcernError, ...counts };
      throw new mongoose.mongo.MongoBulkWriteError({ message: "refused", code: 0 }, result as never);
    },
  };
}

interface Write {
  readonly updateOne: { readonly filter: object; readonly update: object };
}

interface Reply {
  readonly n: number;
  readonly writeErrors?: readonly object[];
  readonly writeConcernError?: object;
}
