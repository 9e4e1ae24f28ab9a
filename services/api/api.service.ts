import type { Service, ServiceSchema } from "moleculer";
import WebGateway from "moleculer-web";
import { closedConnection, databaseAnswers, databaseMixin } from "../../mixins/database.mixin.ts";
import { ensureFirstKey } from "./api-keys.ts";
import { apiKeysStore } from "./api-keys.store.ts";
import { Gateway } from "./gateway.ts";

export interface ApiServiceOptions {
  readonly mongoUrl: string;
  /** 0 takes a free one; `onListening` tells which. */
  readonly port: number;
  readonly host: string;
  /** A key that is to be valid, as an operator's; see `ensureFirstKey`. */
  readonly apiKey?: string | undefined;
  /** Given the key of the very first start, in clear, this once. */
  readonly onFirstKey?: (key: string) => void;
  /** Given the port once requests are taken. */
  readonly onListening?: (port: number) => void;
  /** How long a stop waits for the requests in flight; 8 s by default. */
  readonly drainMs?: number;
}

/**
 * moleculer-web in the mode in which it listens to nothing, without what it would offer to everybody on the bus:
 * requests take our own path (README.md).
 */
const { events: _, ...web } = WebGateway;
const webGateway: Partial<ServiceSchema> = {
  ...web,
  settings: { ...web.settings, server: false, routes: null } as NonNullable<ServiceSchema["settings"]>,
  actions: {},
};

const DATABASE_ANSWER_MS = 500;

/** The HTTP gateway; see README.md beside this file. */
export function apiService(options: ApiServiceOptions): ServiceSchema {
  const { mongoUrl, port, host, apiKey, onFirstKey, onListening, drainMs = 8_000 } = options;
  const connection = closedConnection();
  const keys = apiKeysStore(connection);
  let gateway: Gateway | undefined;
  return {
    name: "api",
    mixins: [webGateway as ServiceSchema, databaseMixin(connection, mongoUrl, "api") as ServiceSchema],
    async started(this: Service) {
      const firstKey = await ensureFirstKey(keys, apiKey);
      if (firstKey !== undefined) onFirstKey?.(firstKey);
      gateway = new Gateway({
        service: this,
        databaseAnswers: () => databaseAnswers(connection, DATABASE_ANSWER_MS),
        keys,
        port,
        host,
      });
      // Outside of the optional call, which would not evaluate it when nobody wants to be told.
      const taken = await gateway.start();
      onListening?.(taken);
    },
    async stopped() {
      await gateway?.stop(drainMs);
    },
  };
}
