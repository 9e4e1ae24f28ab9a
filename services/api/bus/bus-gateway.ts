import type { Service } from "moleculer";
import type { DatabaseClock } from "../../../mixins/mongo/database-clock.ts";
import { replicasOf } from "../../../mixins/bus/service-registry.ts";
import { RateLimitedLog } from "../../../mixins/observability/rate-limited-log.ts";
import type { Gateway } from "../gateway.ts";
import type { GatewayRates } from "../rates/gateway-rates.ts";
import { busBroker } from "./bus-broker.ts";
import { busCalls } from "./bus-calls.ts";
import { BusSessions } from "./bus-sessions.ts";
import type { BusEvent, BusUser } from "./bus-user.ts";
import type { BusUsersStore } from "./bus-users.store.ts";

export interface BusGatewayParts {
  readonly natsUrl: string;
  readonly service: Pick<Service, "broker" | "logger" | "name">;
  readonly store: BusUsersStore;
  readonly gateway: Pick<Gateway, "call" | "slots">;
  readonly rates: Pick<GatewayRates, "keys" | "guilds">;
  readonly clock: Pick<DatabaseClock, "now">;
  readonly onUsers?: ((users: readonly BusUser[]) => void) | undefined;
}

/** The gateway for services of other projects, which call over the bus (docs/nats.md); README.md has why it stands between. */
export class BusGateway {
  readonly #service: BusGatewayParts["service"];
  readonly #sessions: BusSessions;
  readonly #failures: RateLimitedLog;

  constructor({ natsUrl, service, store, gateway, rates, clock, onUsers }: BusGatewayParts) {
    const { logger } = service;
    this.#service = service;
    this.#failures = new RateLimitedLog((fields, text) => logger.warn(fields, text));
    const call = busCalls({
      rates,
      slots: gateway.slots,
      clock,
      isLive: (user) => this.#sessions.isLive(user),
      call: (contract, params, meta) => gateway.call(contract, params, { meta }),
      onDefect: (error, requestId) => logger.error({ err: error, requestId }, "call of a bus user failed"),
    });
    this.#sessions = new BusSessions({
      store,
      connect: (user) => busBroker(user, { natsUrl, logLevel: "warn", call }),
      onUsers: onUsers ?? (() => undefined),
      onError: (error) => this.#failures.note("bus users", { err: error }, "the bus users could not be served"),
      clock: () => performance.now(),
    });
  }

  start(): Promise<void> {
    return this.#sessions.start();
  }

  async stop(): Promise<void> {
    await this.#sessions.stop();
    this.#failures.flush();
  }

  /** Each gateway hears each event. One of them passes it on: the first by its node id, as heartbeats tell of them. */
  tell(event: Pick<BusEvent, "name">, payload: { readonly guildId: string }): void {
    const { broker, name } = this.#service;
    const [first] = replicasOf(broker, name).toSorted();
    if (first === broker.nodeID) this.#sessions.tell(event, payload);
  }
}
