// mongosh runs this script beside a router at each start. The script adds the shards, and shards the collections by the keys in
// shard-keys.json. It can be run again at any time.
const { readFileSync } = require("node:fs");

const DATABASE = "guildcal";
const shards = process.env.SHARDS.split(" ");
const { admin } = JSON.parse(readFileSync("/run/secrets/mongodb/passwords.json", "utf8"));
const keys = JSON.parse(readFileSync("/etc/mongos/shard-keys.json", "utf8"));

/** Set with components/sharded-tls. */
const CA_FILE = process.env.TLS_CA_FILE;
const tls = CA_FILE === undefined ? "" : `?tls=true&tlsCAFile=${encodeURIComponent(CA_FILE)}`;

const router = `mongodb://admin:${admin}@127.0.0.1:27017/admin${tls}`;

/** The shards are founded at the same time, and two routers may run this script. */
function patiently(what, attempt) {
  for (let tries = 1; ; tries += 1) {
    try {
      // mongosh awaits assigned values. With a direct return, a failure would not reach the catch block.
      const result = attempt();
      return result;
    } catch (error) {
      if (tries === 90) throw error;
      if (tries % 10 === 0) print(`waiting: ${what} (${error.codeName ?? error.message})`);
      sleep(1000);
    }
  }
}

function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A collection with rows needs the index of its shard key first. Another key stays: it is changed by `reshardCollection`. */
function shard(db, collection, key) {
  const namespace = `${DATABASE}.${collection}`;
  const known = db.getSiblingDB("config").collections.findOne({ _id: namespace });
  const present = known?.key;
  if (present !== undefined && !isSame(present, key)) {
    print(`${namespace} is sharded by ${JSON.stringify(present)} instead of ${JSON.stringify(key)}: see k8s/SHARDS.md`);
    return;
  }
  if (present !== undefined) return;
  db.getSiblingDB(DATABASE).getCollection(collection).createIndex(key);
  db.adminCommand({ shardCollection: namespace, key });
  print(`${namespace} is sharded`);
}

const db = patiently("the router lets the administrator in", () => connect(router));
for (const addShard of shards) patiently(`${addShard} is a shard`, () => db.adminCommand({ addShard }));
for (const [collection, key] of Object.entries(keys))
  patiently(`${collection} is sharded`, () => shard(db, collection, key));
print("shards and collections are as they should be");
