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

export interface BusGatewayOptions {
  readonly natsUrl: string;
  readonly service: Pick<Service, "broker" | "logger" | "name">;
  readonly store: BusUsersStore;
  readonly gateway: Pick<Gateway, "call" | "concurrency">;
  readonly rates: Pick<GatewayRates, "keys" | "guilds">;
  readonly clock: Pick<DatabaseClock, "now">;
  readonly onUsers?: ((users: readonly BusUser[]) => void) | undefined;
}

/** The gateway for services of other projects, which call over NATS (docs/nats.md). README.md has the reasons for it. */
export class BusGateway {
  readonly #service: BusGatewayOptions["service"];
  readonly #sessions: BusSessions;
  readonly #failures: RateLimitedLog;

  constructor({ natsUrl, service, store, gateway, rates, clock, onUsers }: BusGatewayOptions) {
    const { logger } = service;
    this.#service = service;
    this.#failures = new RateLimitedLog((fields, text) => logger.warn(fields, text));
    const call = busCalls({
      rates,
      concurrency: gateway.concurrency,
      clock,
      isServed: (user) => this.#sessions.isServed(user),
      call: (contract, params, meta, onResponse) => gateway.call(contract, params, { meta, onResponse }),
      onDefect: (error, requestId) => logger.error({ err: error, requestId }, "call of a bus user failed"),
    });
    this.#sessions = new BusSessions({
      store,
      createBroker: (user) => busBroker(user, { natsUrl, logLevel: "warn", call }),
      onUsers: onUsers ?? (() => undefined),
      onError: (error) => this.#failures.note("bus users", { err: error }, "bus users could not be read or connected"),
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

  /** Forwards an event to the bus users. Every gateway receives it; only the one with the first node id forwards it. */
  forwardEvent(event: Pick<BusEvent, "name">, payload: { readonly guildId: string }): void {
    const { broker, name } = this.#service;
    const [first] = replicasOf(broker, name).toSorted();
    if (first === broker.nodeID) this.#sessions.forwardEvent(event, payload);
  }
}
