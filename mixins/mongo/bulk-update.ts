import mongoose from "mongoose";
import { OperationTimeout } from "../async/timeout.ts";

/** The members of a mongoose model that a bulk update uses. */
export interface UpdatableModel {
  bulkWrite(writes: never[], options: { ordered: false }): Promise<Counts>;
}

interface Counts {
  readonly matchedCount: number;
  readonly upsertedCount: number;
}

/** An update of one row by its `_id`, in the form of MongoDB's command `update`. */
export interface UpdateStatement {
  readonly q: object;
  readonly u: object;
  readonly upsert?: boolean;
}

interface BulkUpdateResult {
  /** Number of rows that matched or were inserted. */
  readonly n: number;
  /** The errors of the updates that the database refused, by their index. */
  readonly refused: ReadonlyMap<number, MongoServerError>;
}

/** With a guild in the filter, the database would consider the indexes of guilds, too. */
const BY_ID = { _id: 1 } as const;

/**
 * Makes many updates in one command. An update that fails does not stop the others. Resolves when a majority has
 * journalled the updates. If the call rejects, each update may have been stored or not.
 */
export async function bulkUpdate(
  model: UpdatableModel,
  updates: readonly UpdateStatement[],
): Promise<BulkUpdateResult> {
  const writes = updates.map(({ q, u, upsert = false }) => ({
    updateOne: { filter: q, update: u, upsert, hint: BY_ID },
  }));
  try {
    return { n: countOf(await model.bulkWrite(writes as never[], { ordered: false })), refused: new Map() };
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
    const concern = error.result.getWriteConcernError();
    if (concern !== undefined) throw new OperationTimeout(`no majority: ${concern.errmsg}`);
    const refused = error.result.getWriteErrors().map(({ index, code, errmsg = "" }) => {
      return [index, new mongoose.mongo.MongoServerError({ message: errmsg, code })] as const;
    });
    if (refused.length === 0) throw commandError(error);
    return { n: countOf(error), refused: new Map(refused) };
  }
}

/**
 * The error of a command without a result. The driver reports each failure of a bulk write as a MongoBulkWriteError, also a
 * lost connection, and copies the fields of the original error.
 */
function commandError(error: MongoBulkWriteError): Error {
  const { message, code, reason } = error as MongoBulkWriteError & { readonly reason?: TopologyDescription };
  if (reason !== undefined) return new mongoose.mongo.MongoServerSelectionError(message, reason);
  return code === undefined ? new OperationTimeout(`no response to a bulk update: ${message}`) : error;
}

type MongoServerError = InstanceType<typeof mongoose.mongo.MongoServerError>;
type MongoBulkWriteError = InstanceType<typeof mongoose.mongo.MongoBulkWriteError>;
type TopologyDescription = ConstructorParameters<typeof mongoose.mongo.MongoServerSelectionError>[1];

function countOf({ matchedCount, upsertedCount }: Counts): number {
  return matchedCount + upsertedCount;
}
