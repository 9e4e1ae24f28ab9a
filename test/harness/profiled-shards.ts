import mongoose, { type Connection } from "mongoose";

/** A statement that a shard has run. */
export interface ShardStatement {
  readonly collection: string;
  /** The kind of statement and the fields of its filter, as `find _id guildId`. */
  readonly shape: string;
}

/** Records the statements that shards run, by MongoDB's profiler. */
export interface ProfiledShards {
  /** The statements of each shard since the last `forget`, in the order of the shards. */
  statements(): Promise<readonly (readonly ShardStatement[])[]>;
  forget(): Promise<void>;
  close(): Promise<void>;
}

const PROFILE = "system.profile";
const PROFILE_BYTES = 67_108_864;
/** Profiles every statement. */
const EVERY = { profile: 2 } as const;
const NONE = { profile: 0 } as const;

interface ProfileEntry {
  readonly op: string;
  readonly ns: string;
  readonly command?: Readonly<Record<string, unknown>>;
}

/** @param urls - Of the shards themselves. */
export async function profileShards(urls: readonly string[]): Promise<ProfiledShards> {
  const connections = await Promise.all(urls.map((url) => mongoose.createConnection(url).asPromise()));

  async function begin({ db }: Connection): Promise<void> {
    await db?.command(NONE);
    await db?.dropCollection(PROFILE);
    await db?.createCollection(PROFILE, { capped: true, size: PROFILE_BYTES });
    await db?.command(EVERY);
  }

  const forget = async () => void (await Promise.all(connections.map(begin)));
  await forget();
  return {
    forget,
    statements: () =>
      Promise.all(
        connections.map(async (connection) => {
          const entries = await connection.collection<ProfileEntry>(PROFILE).find().toArray();
          return entries.flatMap(statementOf);
        }),
      ),
    close: async () => void (await Promise.all(connections.map((each) => each.close()))),
  };
}

function statementOf({ op, ns, command = {} }: ProfileEntry): ShardStatement[] {
  const collection = ns.slice(ns.indexOf(".") + 1);
  const { q, filter, query, pipeline } = command as Readonly<Record<string, object | undefined>>;
  const found = q ?? filter ?? query ?? matchOf(pipeline);
  if (collection.startsWith("system.") || found === undefined) return [];
  const kind = ["find", "aggregate", "count", "distinct", "findAndModify"].find((name) => name in command) ?? op;
  return [{ collection, shape: [kind, ...fieldsOf(found)].join(" ") }];
}

/** The filter of the first stage. */
function matchOf(pipeline: unknown): object | undefined {
  const [first] = Array.isArray(pipeline) ? (pipeline as { readonly $match?: object }[]) : [];
  return first?.$match;
}

/** The names of the filter's fields, also those of conditions. */
function fieldsOf(filter: object): string[] {
  const names = Object.entries(filter).flatMap(([name, value]) =>
    ["$and", "$or"].includes(name) ? (value as object[]).flatMap(fieldsOf) : [name],
  );
  return [...new Set(names)].toSorted();
}
