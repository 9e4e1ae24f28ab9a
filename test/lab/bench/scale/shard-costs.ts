import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PROJECT } from "../../../harness/guildcal-process.ts";
import { type MongoShards, type ShardKeys, startMongoShards } from "../../../harness/mongo-shards.ts";
import { type Costs, compareRequests } from "./request-costs.ts";
import { connectTo, fillGuilds } from "./scale-database.ts";

const KEYS = join(PROJECT, "k8s/components/sharded-mongodb/shard-keys.json");

/** Compares requests to two shards with requests to one, each behind a mongos. */
export async function compareShards(directory: string, guilds: number, rounds: number): Promise<Costs> {
  const keys = JSON.parse(readFileSync(KEYS, "utf8")) as ShardKeys;
  const started: MongoShards[] = [];
  try {
    for (const count of [1, 2]) {
      const folder = join(directory, `${count}-shards`);
      await mkdir(folder);
      started.push(await startMongoShards(folder, keys, count));
    }
    for (const { url } of started) {
      const connection = await connectTo(url);
      await fillGuilds(connection, guilds, Date.now());
      await connection.close();
    }
    return await compareRequests(
      started.map(({ url }) => ({ guilds, mongoUrl: url })),
      rounds,
    );
  } finally {
    await Promise.all(started.map((shards) => shards.stop()));
  }
}
