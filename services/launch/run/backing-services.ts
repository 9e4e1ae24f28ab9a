import { resolve } from "node:path";
import { startMongod } from "../embedded/embedded-mongod.ts";
import { superviseNats } from "../embedded/embedded-nats.ts";
import { type NatsBusUser, natsAuthorization, temporaryNatsUsers } from "../permissions/nats-users.ts";
import { checkMongo, checkNats } from "./preflight.ts";
import type { ServiceName } from "../../contracts/service-names.ts";

/** MongoDB and NATS: servers that are given by URL, or embedded ones that this process starts and stops. */
export interface BackingServices {
  /** Database URL of a service: the given URL, or the URL of its own user in the embedded mongod. */
  mongoUrlOf(service: ServiceName): string;
  /** NATS URL of a service: the given URL, or the URL of its own user in the embedded nats-server. */
  natsUrlOf(service: ServiceName): string | undefined;
  /** URL of an embedded nats-server for services of other projects; undefined if there is none. */
  readonly busUrl: string | undefined;
  /** Replaces the bus users of an embedded nats-server. */
  setBusUsers(users: readonly NatsBusUser[]): Promise<void>;
  /** Resolves when an embedded mongod has ended unexpectedly. */
  readonly mongodExited: Promise<void>;
  stop(): Promise<void>;
}

interface BackingServiceSettings {
  readonly MONGO_URL: string | undefined;
  readonly NATS_URL: string | undefined;
  readonly NATS_PORT: number;
  readonly DATA_DIR: string;
}

/**
 * Checks that the given servers respond. Starts an embedded mongod if no URL is given and, with `needsNats`, an
 * embedded nats-server.
 */
export async function startBackingServices(
  { MONGO_URL, NATS_URL, NATS_PORT, DATA_DIR }: BackingServiceSettings,
  needsNats: boolean,
): Promise<BackingServices> {
  if (MONGO_URL !== undefined) await checkMongo(MONGO_URL);
  if (NATS_URL !== undefined) await checkNats(NATS_URL);
  const mongod = MONGO_URL === undefined ? await startMongod(resolve(DATA_DIR)) : undefined;
  try {
    const users = temporaryNatsUsers();
    const nats = needsNats && NATS_URL === undefined ? await superviseNats(users, NATS_PORT) : undefined;
    return {
      mongoUrlOf: (service) => MONGO_URL ?? (mongod?.urlOf(service) as string),
      natsUrlOf: (service) => NATS_URL ?? (nats && users.urlOf(service, nats.port)),
      busUrl: nats && `nats://127.0.0.1:${nats.port}`,
      setBusUsers: async (busUsers) => nats?.setUsers(natsAuthorization(busUsers)),
      mongodExited: mongod?.exitedUnexpectedly ?? new Promise<void>(() => undefined),
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
