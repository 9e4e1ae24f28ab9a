import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMongod } from "../../services/launch/embedded/embedded-mongod.ts";
import { startNats } from "../../services/launch/embedded/embedded-nats.ts";

/** Four workers share the mongod: in the cache of an embedded one, the documents of one test left no room for those of another. */
const CACHE_GIB = 1;

/** Starts one real mongod and one real nats-server for the whole run, unless GUILDCAL_TEST_SERVERS is `none`. */
export default async function globalSetup(): Promise<void> {
  if (process.env["GUILDCAL_TEST_SERVERS"] === "none") return;
  const directory = await mkdtemp(join(tmpdir(), "guildcal-test-"));
  const [mongod, nats] = await Promise.all([startMongod(directory, CACHE_GIB), startNats()]);
  process.env["TEST_MONGO_URL"] = mongod.url;
  process.env["TEST_NATS_URL"] = nats.url;
  Object.assign(globalThis, { realParts: { mongod, nats, directory } });
}
