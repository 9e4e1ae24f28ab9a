import { resolve } from "node:path";
import { startMongod } from "./embedded-mongod.ts";
import { superviseNats } from "./embedded-nats.ts";
import { usersOfOneStart } from "./nats-users.ts";
import { checkMongo, checkNats } from "./preflight.ts";
import type { ServiceName } from "../contracts/service-names.ts";

/** The servers that the services stand on: given by URL, or started here and owned. */
export interface BackingServices {
  /** By which the service reaches its database: the given URL, or its own user's of the embedded mongod. */
  mongoUrlOf(service: ServiceName): string;
  /** By which the service reaches the bus: the given URL, or its own user's of the embedded nats-server. */
  natsUrlOf(service: ServiceName): string | undefined;
  /** Settles when an embedded mongod ended although nobody asked it to. */
  readonly mongodLost: Promise<void>;
  stop(): Promise<void>;
}

interface Given {
  readonly MONGO_URL: string | undefined;
  readonly NATS_URL: string | undefined;
  readonly DATA_DIR: string;
}

/** Uses what is given, after a check that it answers; starts an embedded mongod, and with `bus` a nats-server, otherwise. */
export async function startBackingServices(
  { MONGO_URL, NATS_URL, DATA_DIR }: Given,
  bus: boolean,
): Promise<BackingServices> {
  if (MONGO_URL !== undefined) await checkMongo(MONGO_URL);
  if (NATS_URL !== undefined) await checkNats(NATS_URL);
  const mongod = MONGO_URL === undefined ? await startMongod(resolve(DATA_DIR)) : undefined;
  try {
    const users = usersOfOneStart();
    const nats = bus && NATS_URL === undefined ? await superviseNats(users) : undefined;
    return {
      mongoUrlOf: (service) => MONGO_URL ?? (mongod?.urlOf(service) as string),
      natsUrlOf: (service) => NATS_URL ?? (nats && users.urlOf(service, nats.port)),
      mongodLost: mongod?.lost ?? new Promise<void>(() => undefined),
      async stop() {
        await nats?.stop();
        await mongod?.stop();
      },
    };
  } catch (error) {
    await mongod?.stop();
    throw error;
  }
}
