import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import mongoose from "mongoose";
import { findMongod } from "../../services/launch/embedded/mongod-binary.ts";
import { freePorts } from "./free-ports.ts";
import { newMongoMember, type MongoMember, startProcess } from "./mongo-member.ts";
import { until } from "./until.ts";

/** Shards of one member each, behind a mongos, with their configuration server. */
export interface MongoShards {
  /** The URL of mongos, without the option `tls`. */
  readonly url: string;
  /** The URLs of the shards themselves, without the option `tls`. */
  readonly shardUrls: readonly string[];
  stop(): Promise<void>;
}

/** The shard key of each sharded collection. */
export type ShardKeys = Readonly<Record<string, Readonly<Record<string, "hashed">>>>;

const DATABASE = "guildcal";
const START_TIMEOUT_MS = 60_000;
const CONFIG = "config";

/** Options with which every server has TLS, and the file of the authority of its certificate. */
export interface ServerTls {
  readonly options: readonly string[];
  readonly authority: string;
}

/** Starts the servers in folders below `directory`, and shards the collections while they are empty. */
export async function startMongoShards(
  directory: string,
  keys: ShardKeys,
  count = 2,
  tls?: ServerTls,
): Promise<MongoShards> {
  const { binary, reason } = { reason: "", ...(await findMongod(directory)) };
  if (binary === undefined) throw new Error(`No usable mongod: ${reason}`);
  const sets = [CONFIG, ...Array.from({ length: count }, (_, at) => `shard${at + 1}`)];
  const ports = await freePorts(sets.length + 1);
  const tlsOptions = tls?.options ?? [];
  const trusted = tls === undefined ? {} : { tls: true, tlsCAFile: tls.authority };
  const members = sets.map((set, at) => {
    const role = set === CONFIG ? "--configsvr" : "--shardsvr";
    return newMongoMember(binary.path, ports[at] as number, directory, set, [role, ...tlsOptions], trusted);
  });
  await Promise.all(members.map((member, at) => startSet(member, sets[at] as string)));
  const [config, ...shards] = members.map(({ host }, at) => `${sets[at]}/${host}`);
  const port = ports.at(-1) as number;
  const log = join(directory, "mongos.log");
  const mongos = startProcess(await mongosBeside(binary.path), [
    "--bind_ip=127.0.0.1",
    `--configdb=${config}`,
    `--port=${port}`,
    `--logpath=${log}`,
    ...tlsOptions,
  ]);
  const url = `mongodb://127.0.0.1:${port}/${DATABASE}`;
  await shard(url, trusted, shards, keys);
  return {
    url,
    shardUrls: members.slice(1).map(({ host }) => `mongodb://${host}/${DATABASE}?directConnection=true`),
    async stop() {
      await mongos.kill();
      await Promise.all(members.map((member) => member.stop()));
    },
  };
}

/** Starts a replica set of one member. */
async function startSet(member: MongoMember, set: string): Promise<void> {
  await member.start();
  await member.command({ replSetInitiate: { _id: set, members: [{ _id: 0, host: member.host }] } });
  await until(async () => (await member.hello())?.isWritablePrimary === true, `a primary of ${set}`, START_TIMEOUT_MS);
}

async function shard(
  url: string,
  trusted: mongoose.mongo.MongoClientOptions,
  shards: readonly string[],
  keys: ShardKeys,
): Promise<void> {
  const options = { ...trusted, serverSelectionTimeoutMS: START_TIMEOUT_MS };
  const connection = await mongoose.createConnection(url, options).asPromise();
  const admin = connection.getClient().db("admin");
  for (const addShard of shards) await admin.command({ addShard });
  for (const [collection, key] of Object.entries(keys)) {
    await admin.command({ shardCollection: `${DATABASE}.${collection}`, key });
  }
  await connection.close();
}

/** The path of mongos, which is in the folder of mongod. If a script of this project starts mongod, mongos needs the same script. */
async function mongosBeside(mongod: string): Promise<string> {
  const script = await readFile(mongod, "latin1").then((text) => (text.startsWith("#!") ? text : undefined));
  if (script === undefined) return join(dirname(mongod), "mongos");
  const path = /exec '(.*)\/mongod'/.exec(script)?.[1] ?? "";
  await chmod(join(path, "mongos"), 0o755);
  const beside = join(dirname(mongod), "mongos");
  await writeFile(beside, script.replace(`${path}/mongod'`, `${path}/mongos'`), { mode: 0o755 });
  return beside;
}
