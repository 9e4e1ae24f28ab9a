import type { Service, ServiceSchema } from "moleculer";
import mongoose, { type Connection } from "mongoose";
import { tracer } from "../observability/tracer.ts";
import { OperationTimeout, withTimeout } from "../async/timeout.ts";

/** How long an operation looks for a primary before it fails: an election takes less. */
const SERVER_SELECTION_MS = 5_000;

/** How long the database has to answer whoever watches the process. */
export const DATABASE_PING_TIMEOUT_MS = 500;

/** A connection that is opened when the service starts; models are made on it before. */
export function closedConnection(): Connection {
  const connection = mongoose.createConnection();
  // An operation on a closed connection fails at once instead of waiting in a queue for ever.
  connection.set("bufferCommands", false);
  return connection;
}

/**
 * Opens the service's own connection at start, builds the indexes of its models, and closes it at stop.
 *
 * Writes are acknowledged by a majority, journalled: what was answered is there after a crash.
 */
export function databaseMixin(connection: Connection, mongoUrl: string, appName: string): Partial<ServiceSchema> {
  return {
    methods: {
      pingDatabase: () => pingDatabase(connection, DATABASE_PING_TIMEOUT_MS),
    },
    async started() {
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
    },
    async stopped() {
      await connection.close();
    },
  };
}

/** A service that has a database of its own. */
interface WithDatabase {
  pingDatabase(): Promise<boolean>;
}

/** Whether a service's own database answers now; undefined where it has none. */
export async function pingServiceDatabase(service: Service): Promise<boolean | undefined> {
  const { pingDatabase: answers } = service as Partial<WithDatabase>;
  return answers?.();
}

/** Whether the database answers now. */
export async function pingDatabase(connection: Connection, withinMs: number): Promise<boolean> {
  if (connection.db === undefined) return false;
  return withTimeout(withinMs, "ping", connection.db.command({ ping: 1 })).then(
    () => true,
    () => false,
  );
}

/** The database server's own time now. */
export async function databaseTime(connection: Connection, withinMs: number): Promise<number> {
  if (connection.db === undefined) throw new mongoose.MongooseError("not connected");
  const { localTime } = await withTimeout(withinMs, "hello", connection.db.admin().command({ hello: 1 }));
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

/** MongoDB's codes for a server that is not the primary any more, or is shutting down. */
const NOT_PRIMARY = new Set<unknown>([91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** Whether an error says that the database could not be reached, as opposed to a defect. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof OperationTimeout) return true;
  const labels = error as Error & { hasErrorLabel?: (label: string) => boolean };
  if (error instanceof mongoose.mongo.MongoServerError && NOT_PRIMARY.has(error.code)) return true;
  return UNAVAILABLE_ERRORS.has(error.name) || labels.hasErrorLabel?.("RetryableWriteError") === true;
}
