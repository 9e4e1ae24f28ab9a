import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import { type MongoProxy, startMongoProxy } from "../../harness/mongo-proxy.ts";
import { type MongoSet, startMongoSet } from "../../harness/mongo-set.ts";

/** One mongod; a replica set of three; or one mongod behind a proxy that loses responses to dispatch. */
export type DatabaseKind = "one" | "set" | "behind a proxy";

export interface Database {
  readonly url: string;
  /** The URL that dispatch uses. */
  readonly dispatchUrl: string;
  readonly set?: MongoSet;
  readonly proxy?: MongoProxy;
  stop(): Promise<void>;
}

export async function startDatabase(kind: DatabaseKind, directory: string): Promise<Database> {
  if (kind === "set") {
    const set = await startMongoSet(directory);
    return { url: set.url, dispatchUrl: set.url, set, stop: () => set.stop() };
  }
  const mongod = await startMongod(directory);
  const { url } = mongod;
  const stop = () => mongod.stop();
  if (kind === "one") return { url, dispatchUrl: url, stop };
  const { port } = new URL(url);
  const proxy = await startMongoProxy(Number(port));
  return {
    url,
    dispatchUrl: url.replace(`:${port}/`, `:${proxy.port}/`),
    proxy,
    async stop() {
      await proxy.stop();
      await stop();
    },
  };
}
