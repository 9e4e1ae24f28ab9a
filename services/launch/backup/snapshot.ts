import mongoose from "mongoose";
import { StartupError } from "../run/startup-error.ts";

/** The documents of a database, as BSON. */
export interface DocumentSource {
  /** The cluster time of all documents; undefined before the first read. */
  readonly moment: mongoose.mongo.Timestamp | undefined;
  /** The documents of a collection; none if it does not exist. */
  read(collection: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** The codes of MongoDB for a snapshot that is not stored any more. */
const SNAPSHOT_ERRORS = new Set<unknown>([239, 246]);
const DOCUMENTS_PER_BATCH = 1_000;

/**
 * Reads every collection at one cluster time, in which all committed transactions are complete: that of the first
 * read, by a majority, on a secondary if there is one.
 */
export async function openSnapshot(connection: mongoose.Connection): Promise<DocumentSource> {
  const session = await connection.startSession({ snapshot: true });
  const options = { session, raw: true, batchSize: DOCUMENTS_PER_BATCH, readPreference: "secondaryPreferred" } as const;
  return {
    // The driver stores the time of the first read in the session, without a type.
    get moment() {
      return (session as { snapshotTime?: mongoose.mongo.Timestamp }).snapshotTime;
    },
    async *read(collection) {
      try {
        yield* connection.collection(collection).find({}, options) as unknown as AsyncIterable<Uint8Array>;
      } catch (error) {
        if (!SNAPSHOT_ERRORS.has((error as { code?: unknown }).code)) throw error;
        throw new StartupError(
          "The backup took longer than MongoDB keeps the state of its moment: raise minSnapshotHistoryWindowInSeconds (docs/operations.md)",
        );
      }
    },
    close: () => session.endSession(),
  };
}
