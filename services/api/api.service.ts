import type { Service, ServiceSchema } from "moleculer";
import { boundedAnswers } from "../../mixins/async/bounded-answers.ts";
import { listen } from "../../mixins/actions/contract-event.ts";
import { newDatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { closedConnection, databaseAnswers, databaseMixin, databaseTime } from "../../mixins/mongo/database.mixin.ts";
import { broadcast } from "../../mixins/actions/typed-calls.ts";
import { apiKeyChanged } from "../contracts/api-keys.contract.ts";
import { Gateway, gatewayPages } from "./gateway.ts";
import { apiKeysStore } from "./keys/api-keys.store.ts";
import { keyActions } from "./keys/key.actions.ts";
import { type KeySeal, pepperId } from "./keys/key-digests.ts";
import { ensureFirstKey, keyOffice } from "./keys/key-office.ts";
import { type KeyRing, keyRing } from "./keys/key-ring.ts";
import { keptAnswersStore } from "./once/kept-answers.store.ts";
import { onceBy } from "./once/once.ts";
import { clientAddress, connectionAddress } from "./rates/client-address.ts";
import { doorkeeper } from "./rates/doorkeeper.ts";
import { GatewayRates, ratesUsed, type RateSettings, TELL_EVERY_MS } from "./rates/gateway-rates.ts";
import { ROUTES } from "./route-table.ts";
import { webGateway, type WebService } from "./web-gateway.ts";

export interface ApiServiceOptions {
  readonly mongoUrl: string;
  /** 0 takes a free one; `onListening` tells which. */
  readonly port: number;
  readonly host: string;
  readonly seal: KeySeal;
  readonly rates: RateSettings;
  /** Most connections that one address has open, unless it is a trusted proxy's; 0 for no limit. */
  readonly connectionsPerAddress?: number;
  /** Origins whose pages may read answers; none by default. */
  readonly corsOrigins?: readonly string[];
  /** A key that is valid, as an operator's, as long as it is given here. */
  readonly apiKey?: string | undefined;
  /** Given the key of the very first start, in clear, this once. */
  readonly onFirstKey?: (key: string) => void;
  /** Given the port once requests are taken. */
  readonly onListening?: (port: number) => void;
  /** How long a stop waits for the requests in flight; 5 s by default. */
  readonly drainMs?: number;
}

/** A database that hangs must not hold a request: nobody knows whose it is yet. */
const KEY_ANSWER_MS = 2_000;
const DATABASE_ANSWER_MS = 500;
/** Longer than a whole request takes: what is cut off then is a request whose body has not come. */
const DRAIN_MS = 5_000;
/** How often the gateway asks the database for its time. */
const CLOCK_SAMPLE_MS = 5_000;

/** The HTTP gateway; see README.md beside this file. */
export function apiService(options: ApiServiceOptions): ServiceSchema {
  const { mongoUrl, port, host, seal, rates: limits, apiKey, onFirstKey, onListening, drainMs = DRAIN_MS } = options;
  const { connectionsPerAddress = 0 } = options;
  const connection = closedConnection();
  const store = apiKeysStore(connection);
  const answers = keptAnswersStore(connection);
  const office = keyOffice(store, seal);
  const rates = new GatewayRates(limits);
  const clock = newDatabaseClock(
    () => databaseTime(connection, DATABASE_ANSWER_MS),
    () => performance.now(),
  );
  let ring: KeyRing | undefined;
  let telling: NodeJS.Timeout | undefined;
  let sampling: NodeJS.Timeout | undefined;
  let gateway: Gateway | undefined;
  const pages = gatewayPages(async () => gateway?.missing() ?? []);
  const web = webGateway(ROUTES, pages, () => (gateway as Gateway).steps, options.corsOrigins);
  return {
    name: "api",
    mixins: [web as ServiceSchema, databaseMixin(connection, mongoUrl, "api") as ServiceSchema],
    actions: keyActions(office),
    events: {
      ...listen(apiKeyChanged, ({ id }) => ring?.forget(id)),
      ...listen(ratesUsed, (used) => rates.hear(used, Date.now())),
    },
    async started(this: Service) {
      const { logger } = this;
      await clock.sample();
      sampling = setInterval(() => void clock.sample().catch(() => undefined), CLOCK_SAMPLE_MS);
      const firstKey = await ensureFirstKey(store, office, apiKey);
      if (firstKey !== undefined) onFirstKey?.(firstKey);
      const count = await store.countSealedOtherwise(pepperId(seal.pepper));
      if (count > 0) logger.warn({ count }, "API_KEY_PEPPER has changed: there are keys that open nothing any more");
      const onError = (error: unknown) => logger.warn({ err: error }, "the use of a key could not be noted");
      const bounded = boundedAnswers(store, () => KEY_ANSWER_MS);
      ring = keyRing({ store: bounded, seal, configured: apiKey, onError });
      gateway = new Gateway({
        pages,
        service: this as WebService,
        databaseAnswers: () => databaseAnswers(connection, DATABASE_ANSWER_MS),
        once: onceBy(answers, (error) => logger.error({ err: error }, "an answer could not be kept")),
        connectionAddress: connectionAddress(limits.trustedProxies),
        connectionsPerAddress,
        door: doorkeeper(ring, rates, clientAddress(limits.trustedProxies)),
        clock,
        port,
        host,
      });
      // Outside of the optional call, which would not evaluate it when nobody wants to be told.
      const taken = await gateway.start();
      telling = setInterval(() => {
        const used = rates.used(Date.now());
        if (used !== undefined) broadcast(this.broker, ratesUsed, used, { groups: ["api"] });
      }, TELL_EVERY_MS);
      onListening?.(taken);
    },
    async stopped() {
      await gateway?.stop(drainMs);
      clearInterval(telling);
      clearInterval(sampling);
    },
  };
}
