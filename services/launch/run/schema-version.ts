import mongoose from "mongoose";
import { RESTORE_MARK } from "../backup/restore-mark.ts";
import { collectionsOf, schemaCollection } from "../permissions/database-privileges.ts";
import { StartupError } from "./startup-error.ts";
import type { ServiceName } from "../../contracts/service-names.ts";

/**
 * The version of the stored data that this release writes. A change of the data that the previous release would
 * misread or lose increments it; docs/deploying.md describes such a change, and its effect on a rollback.
 */
export const SCHEMA_VERSION = 2;

/** The version of data without a version row, as release 0.1.0 wrote them. */
const UNVERSIONED = 1;
/** The id of the row with the versions. */
export const SCHEMA_ROW = "schema";
const TIMEOUT_MS = 5_000;
/** Codes of MongoDB errors. */
const [UNAUTHORIZED, DUPLICATE_KEY] = [13, 11_000];

/** The versions of the rows in a service's collections. */
export interface SchemaVersions {
  /** The version of the newest process that ever ran on the data. */
  readonly newest: number;
  /** The oldest version that a row may still have. */
  readonly oldest: number;
}

type SchemaRow = { readonly _id: string } & SchemaVersions;

/**
 * Returns the reason why a process must not run on the data; undefined if it may. A process knows its own version,
 * the previous one, which it reads, and the next one, whose first release still writes data that the previous version
 * can read (expand and contract).
 *
 * @param version - The version of the process.
 */
export function schemaProblem(
  service: ServiceName,
  { newest, oldest }: SchemaVersions,
  version = SCHEMA_VERSION,
): string | undefined {
  const known = `this release knows ${version - 1} to ${version + 1}`;
  if (newest > version + 1) {
    return `The data of ${service} has schema version ${newest}, and ${known}: start a release of schema version ${newest - 1} or newer`;
  }
  if (oldest < version - 1) {
    return `The data of ${service} may have rows of schema version ${oldest}, and ${known}: start a release of schema version ${oldest + 1}, and run \`npm run schema -- finish\` there`;
  }
  return undefined;
}

/**
 * Records that a process of this release runs on the service's data. Throws StartupError, and changes nothing, if the
 * release does not know the versions of the data, or if a restore of the data is not finished.
 */
export async function recordSchemaVersion(mongoUrl: string, service: ServiceName): Promise<void> {
  await withRows(mongoUrl, service, async (rows, connection) => {
    if ((await rows.findOne({ _id: RESTORE_MARK })) !== null) {
      throw new StartupError(
        `The restore of the data of ${service} is not finished: run \`npm run restore\` again (docs/operations.md)`,
      );
    }
    const stored = await rows.findOne({ _id: SCHEMA_ROW });
    const found = stored ?? (await versionsWithoutRow(connection, service));
    throwIfUnknown(service, found);
    // A process of another release may have written in the meantime.
    if (await storeKnownVersions(rows, found)) return;
    throwIfUnknown(service, (await rows.findOne({ _id: SCHEMA_ROW })) ?? found);
  });
}

/** The versions of a service's data; undefined before its first start. */
export async function readSchema(mongoUrl: string, service: ServiceName): Promise<SchemaVersions | undefined> {
  return withRows(mongoUrl, service, async (rows) => (await rows.findOne({ _id: SCHEMA_ROW })) ?? undefined);
}

/**
 * Records that every row has the version of this release, and that no process of an older release runs. From then on
 * releases of the next version start. A process of the previous version may still start; it reverts the record.
 */
export async function finishSchema(mongoUrl: string, service: ServiceName): Promise<void> {
  await withRows(mongoUrl, service, async (rows) => {
    const stored = await rows.findOne({ _id: SCHEMA_ROW });
    if (stored === null) throw new StartupError(`${service} has not started on this data yet`);
    throwIfUnknown(service, stored);
    if (stored.newest > SCHEMA_VERSION) {
      throw new StartupError(
        `A release of schema version ${stored.newest} runs on the data of ${service}: finish it there`,
      );
    }
    await upsertVersions(rows, { newest: SCHEMA_VERSION, oldest: SCHEMA_VERSION });
  });
}

function throwIfUnknown(service: ServiceName, versions: SchemaVersions): void {
  const problem = schemaProblem(service, versions);
  if (problem !== undefined) throw new StartupError(problem);
}

type Rows = mongoose.mongo.Collection<SchemaRow>;

/**
 * Records the version of this release, if it knows the versions in the row. Otherwise changes nothing, and returns false.
 *
 * @param found - The versions of the data, for a row that does not exist yet.
 */
export async function storeKnownVersions(rows: Rows, found: SchemaVersions): Promise<boolean> {
  const versions = {
    newest: { $max: ["$newest", SCHEMA_VERSION] },
    oldest: { $min: [{ $ifNull: ["$oldest", found.oldest] }, SCHEMA_VERSION] },
  };
  const known = { newest: { $lte: SCHEMA_VERSION + 1 }, oldest: { $not: { $lt: SCHEMA_VERSION - 1 } } };
  return upsertVersions(rows, versions, known);
}

/**
 * Stores the versions if there is no row, or if the row matches the filter. Returns whether they are stored. If two processes
 * insert the row concurrently, the second one gets an error and tries an update.
 */
async function upsertVersions(
  rows: Rows,
  versions: object,
  known: mongoose.mongo.Filter<SchemaRow> = {},
): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      // Sequential on purpose: the second attempt is for a row that another process has inserted.
      await rows.updateOne({ ...known, _id: SCHEMA_ROW }, [{ $set: versions }], { upsert: true });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
    }
  }
  return false;
}

/**
 * The versions of data without a version row: those of this release if there are no data, otherwise those of 0.1.0.
 */
async function versionsWithoutRow(connection: mongoose.Connection, service: ServiceName): Promise<SchemaVersions> {
  for (const name of collectionsOf(service)) {
    const row = await connection.collection(name).findOne({}, { projection: { _id: 1 } });
    if (row !== null) return { newest: UNVERSIONED, oldest: UNVERSIONED };
  }
  return { newest: SCHEMA_VERSION, oldest: SCHEMA_VERSION };
}

async function withRows<Result>(
  mongoUrl: string,
  service: ServiceName,
  work: (rows: Rows, connection: mongoose.Connection) => Promise<Result>,
): Promise<Result> {
  const connection = mongoose.createConnection();
  const collection = schemaCollection(service);
  try {
    await connection.openUri(mongoUrl, {
      serverSelectionTimeoutMS: TIMEOUT_MS,
      autoIndex: false,
      autoCreate: false,
      writeConcern: { w: "majority", journal: true },
      readConcernLevel: "majority",
    });
    const { db } = connection;
    if (db === undefined) throw new mongoose.MongooseError("not connected");
    return await work(db.collection<SchemaRow>(collection), connection);
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNAUTHORIZED) throw error;
    throw new StartupError(
      `The database user of ${service} may not use ${collection}: give its role the privileges in k8s/components/mongodb/privileges.json`,
    );
  } finally {
    await connection.close();
  }
}
