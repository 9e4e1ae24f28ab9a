import { isDeepStrictEqual } from "node:util";
import mongoose, { type Connection, type Model } from "mongoose";

/** Throws where a row of the test's database is other than the schema of its collection says. */
export async function needRowsAsSchemas(mongoUrl: string): Promise<void> {
  const database = new URL(mongoUrl).pathname.slice(1);
  const open = mongoose.connections.filter(
    ({ db, readyState }) => db?.databaseName === database && readyState === mongoose.ConnectionStates.connected,
  );
  const misfits = (await Promise.all(open.map(misfitsOf))).flat();
  if (misfits.length > 0) throw new Error(`stored otherwise than the schemas say:\n${misfits.join("\n")}`);
}

/** What is wrong with which row of the connection's models. */
export async function misfitsOf(connection: Connection): Promise<string[]> {
  const misfits: string[] = [];
  for (const model of Object.values(connection.models)) {
    for await (const row of model.collection.find()) {
      const problem = await problemOf(model, row);
      if (problem !== undefined) misfits.push(`${model.collection.name} ${String(row._id)}: ${problem}`);
    }
  }
  return misfits;
}

/** Undefined for a row that its model takes as it is: with no path that the schema does not have, and no value of another type. */
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

/** The first path at which what was stored is not what was taken; what was not stored may be there by default. */
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
