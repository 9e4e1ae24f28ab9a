import { isDeepStrictEqual } from "node:util";
import mongoose, { type Connection, type Model } from "mongoose";

/** Rejects if a row of the test's database does not match its schema. Reads the collections of all open connections. */
export async function needRowsAsSchemas(mongoUrl: string): Promise<void> {
  const database = new URL(mongoUrl).pathname.slice(1);
  const open = mongoose.connections.filter(
    ({ db, readyState }) => db?.databaseName === database && readyState === mongoose.ConnectionStates.connected,
  );
  const mismatches = (await Promise.all(open.map(mismatchesOf))).flat();
  if (mismatches.length > 0) throw new Error(`rows that do not match their schemas:\n${mismatches.join("\n")}`);
}

/** Number of rows of a collection that are read: all of them, or a random sample of a collection that a test has filled. */
const MAX_ROWS = 5_000;

/** Lists the rows of the connection's models that do not match their schema, with the reason. */
export async function mismatchesOf(connection: Connection): Promise<string[]> {
  const mismatches: string[] = [];
  for (const model of Object.values(connection.models)) {
    for await (const row of model.collection.aggregate([{ $sample: { size: MAX_ROWS } }])) {
      const problem = await problemOf(model, row);
      if (problem !== undefined) mismatches.push(`${model.collection.name} ${String(row._id)}: ${problem}`);
    }
  }
  return mismatches;
}

/** The first difference between a row and its schema: an unknown path, or a value of another type. Undefined if there is none. */
async function problemOf(model: Model<unknown>, row: object): Promise<string | undefined> {
  try {
    const taken = new model(row, "throw");
    await taken.validate();
    const path = pathLost(row, taken.toObject({ minimize: false }));
    return path === undefined ? undefined : `${path} is stored otherwise`;
  } catch (error) {
    return String(error);
  }
}

/**
 * The first path at which the stored value differs from the value that the model reads; a stored null always does. Paths
 * with a default may be absent in the row.
 */
function pathLost(stored: object, taken: unknown): string | undefined {
  for (const [name, value] of Object.entries(stored)) {
    const other = (taken as Record<string, unknown> | undefined)?.[name];
    if (value === null) return name;
    if (!isPlain(value)) {
      if (!isDeepStrictEqual(value, other)) return name;
      continue;
    }
    const within = pathLost(value, other);
    if (within !== undefined) return `${name}.${within}`;
  }
  return undefined;
}

function isPlain(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
