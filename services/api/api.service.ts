import type { Service, ServiceSchema } from "moleculer";
import { withTimeouts } from "../../mixins/async/timeout.ts";
import { listen } from "../../mixins/actions/contract-event.ts";
import { newDatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { closedConnection, databaseAnswers, databaseMixin, databaseTime } from "../../mixins/mongo/database.mixin.ts";
import { broadcast } from "../../mixins/actions/typed-calls.ts";
import { apiKeyChanged } from "../contracts/api-keys.contract.ts";
import { announcementChanged } from "../contracts/announcements.contract.ts";
import { calendarEventChanged } from "../contracts/calendar-events.contract.ts";
import { calendarChanged } from "../contracts/calendars.contract.ts";
import { announcementFailed, announcementMissed, announcementPosted } from "../contracts/dispatch.contract.ts";
import { guildSettingsChanged } from "../contracts/guild-settings.contract.ts";
import type { BusUser } from "./bus/bus-user.ts";
import { BusGateway } from "./bus/bus-gateway.ts";
import { busUsersStore } from "./bus/bus-users.store.ts";
import { Gateway, gatewayPages } from "./gateway.ts";
import { feedAdmission } from "./feeds/feed-admission.ts";
import { type FeedAuthenticator, feedAuthenticator } from "./feeds/feed-authenticator.ts";
import { feedManagement } from "./feeds/feed-management.ts";
import { feedActions } from "./feeds/feed.actions.ts";
import { feedsStore } from "./feeds/feeds.store.ts";
import { apiKeysStore } from "./keys/api-keys.store.ts";
import { keyActions } from "./keys/key.actions.ts";
import { type KeyHashing, pepperId } from "./keys/key-digests.ts";
import { ensureFirstKey, apiKeyManagement } from "./keys/api-key-management.ts";
import { type ApiKeyAuthenticator, apiKeyAuthenticator } from "./keys/api-key-authenticator.ts";
import { idempotencyRecordsStore } from "./idempotency/idempotency-records.store.ts";
import { performOnceWith } from "./idempotency/idempotency.ts";
import { clientAddress, connectionAddress } from "./rates/client-address.ts";
import { admission } from "./rates/admission.ts";
import { GatewayRates, ratesUsed, type RateSettings, BROADCAST_INTERVAL_MS } from "./rates/gateway-rates.ts";
import { ROUTES } from "./route-table.ts";
import { webGateway, type WebService } from "./web-gateway.ts";

export interface ApiServiceOptions {
  readonly mongoUrl: string;
  /** 0 takes a free one; `onListening` tells which. */
  readonly port: number;
  readonly host: string;
  readonly hashing: KeyHashing;
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
  /** The bus on which other projects' services call; without it there are no bus users. */
  readonly busUrl?: string | undefined;
  /** Given all bus users that are not revoked, at the start and after each change. */
  readonly onBusUsers?: (users: readonly BusUser[]) => void;
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
  const { mongoUrl, port, host, hashing, rates: limits, apiKey, onFirstKey, onListening, drainMs = DRAIN_MS } = options;
  const { connectionsPerAddress = 0 } = options;
  const connection = closedConnection();
  const store = apiKeysStore(connection);
  const answers = idempotencyRecordsStore(connection);
  const management = apiKeyManagement(store, hashing);
  const feeds = feedsStore(connection);
  let feedReaders: FeedAuthenticator | undefined;
  const rates = new GatewayRates(limits);
  const clock = newDatabaseClock(
    () => databaseTime(connection, DATABASE_ANSWER_MS),
    () => performance.now(),
  );
  let authenticator: ApiKeyAuthenticator | undefined;
  let telling: NodeJS.Timeout | undefined;
  let sampling: NodeJS.Timeout | undefined;
  let gateway: Gateway | undefined;
  const users = busUsersStore(connection);
  let bus: BusGateway | undefined;
  const pages = gatewayPages(async () => gateway?.missing() ?? []);
  const started = () => gateway as Gateway;
  const web = webGateway({
    routes: ROUTES,
    pages,
    steps: () => started().steps,
    feed: () => started().feed,
    corsOrigins: options.corsOrigins,
  });
  return {
    name: "api",
    mixins: [web as ServiceSchema, databaseMixin(connection, mongoUrl, "api") as ServiceSchema],
    actions: {
      ...keyActions(management),
      ...feedActions(feedManagement(feeds, hashing), (id) => feedReaders?.forget(id)),
    },
    events: {
      ...listen(apiKeyChanged, ({ id }) => authenticator?.forget(id)),
      ...listen(ratesUsed, (used) => rates.hear(used, Date.now())),
      ...listen(announcementChanged, (payload) => bus?.tell(announcementChanged, payload)),
      ...listen(announcementFailed, (payload) => bus?.tell(announcementFailed, payload)),
      ...listen(announcementMissed, (payload) => bus?.tell(announcementMissed, payload)),
      ...listen(announcementPosted, (payload) => bus?.tell(announcementPosted, payload)),
      ...listen(calendarChanged, (payload) => bus?.tell(calendarChanged, payload)),
      ...listen(calendarEventChanged, (payload) => bus?.tell(calendarEventChanged, payload)),
      ...listen(guildSettingsChanged, (payload) => bus?.tell(guildSettingsChanged, payload)),
    },
    async started(this: Service) {
      const { logger } = this;
      await clock.sample();
      sampling = setInterval(() => void clock.sample().catch(() => undefined), CLOCK_SAMPLE_MS);
      const firstKey = await ensureFirstKey(store, management, apiKey);
      if (firstKey !== undefined) onFirstKey?.(firstKey);
      const count = await store.countWithOtherPepper(pepperId(hashing.pepper));
      if (count > 0) logger.warn({ count }, "API_KEY_PEPPER has changed: there are keys that open nothing any more");
      const onError = (error: unknown) => logger.warn({ err: error }, "the use of a key could not be noted");
      const bounded = withTimeouts(store, () => KEY_ANSWER_MS);
      const boundedFeeds = withTimeouts(feeds, () => KEY_ANSWER_MS);
      feedReaders = feedAuthenticator({ store: boundedFeeds, hashing, onError });
      authenticator = apiKeyAuthenticator({ store: bounded, hashing, configured: apiKey, onError });
      gateway = new Gateway({
        pages,
        service: this as WebService,
        databaseAnswers: () => databaseAnswers(connection, DATABASE_ANSWER_MS),
        performOnce: performOnceWith(answers, (error) => logger.error({ err: error }, "an answer could not be kept")),
        connectionAddress: connectionAddress(limits.trustedProxies),
        connectionsPerAddress,
        admission: admission(authenticator, rates, clientAddress(limits.trustedProxies)),
        admitFeed: feedAdmission(feedReaders, rates, clientAddress(limits.trustedProxies)),
        clock,
        port,
        host,
      });
      // Outside of the optional call, which would not evaluate it when nobody wants to be told.
      const taken = await gateway.start();
      if (options.busUrl !== undefined) {
        const parts = { natsUrl: options.busUrl, service: this, gateway, rates, clock, onUsers: options.onBusUsers };
        bus = new BusGateway({ ...parts, store: withTimeouts(users, () => KEY_ANSWER_MS) });
        await bus.start();
      }
      telling = setInterval(() => {
        const used = rates.used(Date.now());
        if (used !== undefined) broadcast(this.broker, ratesUsed, used, { groups: ["api"] });
      }, BROADCAST_INTERVAL_MS);
      onListening?.(taken);
    },
    async stopped() {
      await bus?.stop();
      await gateway?.stop(drainMs);
      clearInterval(telling);
      clearInterval(sampling);
    },
  };
}
