import type { Service, ServiceSchema } from "moleculer";
import mongoose, { type Connection } from "mongoose";
import { tracer } from "../observability/tracer.ts";
import { OperationTimeout, withTimeout } from "../async/timeout.ts";

/** Time for which an operation looks for a primary before it fails; an election takes less. */
const SERVER_SELECTION_MS = 5_000;

/** Time in which the database must respond to a health check. */
export const DATABASE_PING_TIMEOUT_MS = 500;

/** A connection that is not opened yet. The service makes its models on the connection, and opens it at start. */
export function closedConnection(): Connection {
  const connection = mongoose.createConnection();
  // An operation on a closed connection fails at once instead of waiting in a queue.
  connection.set("bufferCommands", false);
  return connection;
}

/**
 * Opens the service's own connection at start, builds the indexes of its models, and closes the connection at stop.
 *
 * Writes are acknowledged by a majority and journalled, so an acknowledged write survives a crash.
 */
export function databaseMixin(connection: Connection, mongoUrl: string, appName: string): Partial<ServiceSchema> {
  async function openDatabase(): Promise<void> {
    await connection.openUri(mongoUrl, {
      appName: `guildcal-${appName}`,
      autoIndex: false,
      autoCreate: false,
      serverSelectionTimeoutMS: SERVER_SELECTION_MS,
      writeConcern: { w: "majority", journal: true },
      readConcernLevel: "majority",
      readPreference: "primary",
      maxPoolSize: 50,
      monitorCommands: tracer() !== undefined,
    });
    tracer()?.traceCommands(connection.getClient());
    for (const model of Object.values(connection.models)) await model.createIndexes();
  }
  const closeDatabase = () => connection.close();
  return {
    methods: {
      pingDatabase: () => pingDatabase(connection, DATABASE_PING_TIMEOUT_MS),
      openDatabase,
      closeDatabase,
    } satisfies WithDatabase,
    started: openDatabase,
    stopped: closeDatabase,
  };
}

/** A service with a database of its own. */
interface WithDatabase {
  pingDatabase(): Promise<boolean>;
  openDatabase(): Promise<void>;
  closeDatabase(): Promise<void>;
}

/** Builds the indexes of a service without starting it. */
export async function buildIndexes({ mixins = [] }: ServiceSchema): Promise<void> {
  for (const { methods = {} } of mixins) {
    const { openDatabase, closeDatabase } = methods as Partial<WithDatabase>;
    await openDatabase?.();
    await closeDatabase?.();
  }
}

/** Whether the database of a service responds now; undefined for a service without one. */
export async function pingServiceDatabase(service: Service): Promise<boolean | undefined> {
  const { pingDatabase: ping } = service as Partial<WithDatabase>;
  return ping?.();
}

/** Whether the database responds within the time. */
export async function pingDatabase(connection: Connection, timeoutMs: number): Promise<boolean> {
  if (connection.db === undefined) return false;
  return withTimeout(timeoutMs, "ping", connection.db.command({ ping: 1 })).then(
    () => true,
    () => false,
  );
}

/** The time of the database server now. */
export async function databaseTime(connection: Connection, timeoutMs: number): Promise<number> {
  if (connection.db === undefined) throw new mongoose.MongooseError("not connected");
  const { localTime } = await withTimeout(timeoutMs, "hello", connection.db.admin().command({ hello: 1 }));
  return (localTime as Date).getTime();
}

const UNAVAILABLE_ERRORS = new Set([
  "MongoServerSelectionError",
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoNotConnectedError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoTopologyClosedError",
  "MongoClientClosedError",
  "MongoWaitQueueTimeoutError",
  "MongoOperationTimeoutError",
  "MongooseError",
]);

/** MongoDB's error codes of a server that is no longer the primary, or is shutting down. */
const NOT_PRIMARY = new Set<unknown>([91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

/**
 * MongoDB's error codes of a statement that was rolled back because the server's cache had no room for it at that moment:
 * TransactionTooLargeForCache and TemporarilyUnavailable. The statements of one bulk write may fail with either.
 */
export const CACHE_IS_FULL: ReadonlySet<unknown> = new Set([313, 365]);

/**
 * Whether an error means that the database was unreachable, had no primary, had no room in its cache or did not respond, as
 * opposed to a defect.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof OperationTimeout) return true;
  const labels = error as Error & { hasErrorLabel?: (label: string) => boolean };
  const { MongoServerError } = mongoose.mongo;
  if (error instanceof MongoServerError && (NOT_PRIMARY.has(error.code) || CACHE_IS_FULL.has(error.code))) return true;
  return UNAVAILABLE_ERRORS.has(error.name) || labels.hasErrorLabel?.("RetryableWriteError") === true;
}
