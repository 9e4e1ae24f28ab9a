import type { Connection } from "mongoose";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import { SERVICES } from "../../contracts/service-names.ts";
import { schemaCollection } from "../permissions/database-privileges.ts";

/** The id of the mark, beside the schema version of each service. */
export const RESTORE_MARK = "restore";

interface MarkRow {
  readonly _id: string;
  /** The SHA-256 of the backup. */
  readonly backup: string;
}

/** Marks the data of every service, so that no process starts on them before the restore is finished. */
export async function setRestoreMark(connection: Connection, backup: string): Promise<void> {
  await inTransaction(connection, async (session) => {
    for (const service of SERVICES) {
      await marksOf(connection, service).replaceOne({ _id: RESTORE_MARK }, { backup }, { upsert: true, session });
    }
  });
}

/**
 * Removes the marks of all services at once. With some marks left, the other services could start, and the next restore
 * would delete what they have written.
 */
export async function removeRestoreMark(connection: Connection): Promise<void> {
  await inTransaction(connection, async (session) => {
    for (const service of SERVICES) await marksOf(connection, service).deleteOne({ _id: RESTORE_MARK }, { session });
  });
}

export async function hasRestoreMark(connection: Connection): Promise<boolean> {
  const rows = await Promise.all(
    SERVICES.map((service) => marksOf(connection, service).findOne({ _id: RESTORE_MARK })),
  );
  return rows.some((row) => row !== null);
}

function marksOf(connection: Connection, service: (typeof SERVICES)[number]) {
  return connection.collection<MarkRow>(schemaCollection(service));
}
