import type { Service, ServiceSchema } from "moleculer";
import { withTimeouts } from "../../mixins/async/timeout.ts";
import { listen } from "../../mixins/actions/contract-event.ts";
import { newDatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { closedConnection, pingDatabase, databaseMixin, databaseTime } from "../../mixins/mongo/database.mixin.ts";
import { broadcast } from "../../mixins/actions/typed-calls.ts";
import { apiKeyChanged } from "../contracts/api-keys.contract.ts";
import { announcementChanged } from "../contracts/announcements.contract.ts";
import { calendarEventChanged } from "../contracts/calendar-events.contract.ts";
import { calendarChanged } from "../contracts/calendars.contract.ts";
import { announcementFailed, announcementMissed, announcementPosted } from "../contracts/post-outcomes.contract.ts";
import { guildSettingsChanged } from "../contracts/guild-settings.contract.ts";
import { webhookChanged } from "../contracts/webhooks.contract.ts";
import type { EventContract } from "../contracts/contract.ts";
import { changesActions } from "./changes/changes.actions.ts";
import { lostWritesStore } from "./changes/lost-writes.store.ts";
import type { STREAM_LIMITS } from "./changes/change-streams.ts";
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
import { idempotencyQuota } from "./idempotency/idempotency-quota.ts";
import { idempotentRunner } from "./idempotency/idempotency.ts";
import { clientAddress, connectionAddress } from "./rates/client-address.ts";
import { admission } from "./rates/admission.ts";
import { GatewayRates, ratesUsed, type RateSettings, BROADCAST_INTERVAL_MS } from "./rates/gateway-rates.ts";
import { ROUTES } from "./route-table.ts";
import { webGateway, type WebService } from "./web-gateway.ts";

export interface ApiServiceOptions {
  readonly mongoUrl: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly host: string;
  readonly hashing: KeyHashing;
  readonly rates: RateSettings;
  /** Open connections per address, except those of trusted proxies; 0 for no limit. */
  readonly connectionsPerAddress?: number;
  /** Origins whose pages may read responses; none by default. */
  readonly corsOrigins?: readonly string[];
  /** An operator key that is valid only while it is configured. */
  readonly apiKey?: string | undefined;
  /** Replaces limits of streams of changes. */
  readonly streamLimits?: Partial<typeof STREAM_LIMITS>;
  /** Idempotency-Keys that a guild may use within 24 hours. */
  readonly idempotencyKeysPerGuild?: number;
  /** Receives the text of the key that the very first start creates. */
  readonly onFirstKey?: (key: string) => void;
  /** Receives the port when the gateway accepts requests. */
  readonly onListening?: (port: number) => void;
  /** The NATS server for services of other projects; without it there are no bus users. */
  readonly busUrl?: string | undefined;
  /** Receives all bus users that are not revoked, at the start and after each change. */
  readonly onBusUsers?: (users: readonly BusUser[]) => void;
  /** Time for the requests in flight at a stop; 5 s by default. */
  readonly drainMs?: number;
}

/** Time limit for queries of keys, feeds, idempotency records and bus users: a hanging database must not hold requests. */
const KEY_QUERY_TIMEOUT_MS = 2_000;
const DATABASE_PING_TIMEOUT_MS = 500;
/** Longer than most requests take once their bodies have arrived. A stop cuts off imports and feeds that take longer. */
const DRAIN_MS = 5_000;
/** Interval of the samples of the database server's clock. */
const CLOCK_SAMPLE_INTERVAL_MS = 5_000;

/** The HTTP gateway; see README.md beside this file. */
export function apiService(options: ApiServiceOptions): ServiceSchema {
  const {
    mongoUrl,
    port,
    host,
    hashing,
    rates: rateSettings,
    apiKey,
    onFirstKey,
    onListening,
    drainMs = DRAIN_MS,
  } = options;
  const { connectionsPerAddress = 0 } = options;
  const connection = closedConnection();
  const store = apiKeysStore(connection);
  const idempotencyRecords = idempotencyRecordsStore(connection);
  const management = apiKeyManagement(store, hashing);
  const feeds = feedsStore(connection);
  const lostWrites = lostWritesStore(connection);
  let feedAuthentication: FeedAuthenticator | undefined;
  const rates = new GatewayRates(rateSettings);
  const clock = newDatabaseClock(
    () => databaseTime(connection, DATABASE_PING_TIMEOUT_MS),
    () => performance.now(),
  );
  let authenticator: ApiKeyAuthenticator | undefined;
  let reportTimer: NodeJS.Timeout | undefined;
  let clockTimer: NodeJS.Timeout | undefined;
  let gateway: Gateway | undefined;
  const busUsers = busUsersStore(connection);
  let bus: BusGateway | undefined;
  const pages = gatewayPages(async () => gateway?.missing() ?? []);
  const started = () => gateway as Gateway;
  const web = webGateway({
    routes: ROUTES,
    pages,
    requestHandler: () => started().requestHandler,
    feed: () => started().feed,
    calendarImport: () => started().calendarImport,
    changeStreams: () => started().changeStreams,
    corsOrigins: options.corsOrigins,
  });

  /** Wakes the streams of changes of the guild, and forwards the event to bus users. */
  function forwardChange<Payload extends { readonly guildId: string }>(
    event: EventContract<Payload>,
    payload: Payload,
  ): void {
    gateway?.changeStreams.wake(payload.guildId);
    bus?.forwardEvent(event, payload);
  }

  return {
    name: "api",
    mixins: [web as ServiceSchema, databaseMixin(connection, mongoUrl, "api") as ServiceSchema],
    actions: {
      ...keyActions(management),
      ...changesActions(() => started().changes),
      ...feedActions(feedManagement(feeds, hashing), (id) => feedAuthentication?.forget(id)),
    },
    events: {
      ...listen(apiKeyChanged, ({ id }) => authenticator?.forget(id)),
      ...listen(ratesUsed, (reports) => rates.addReports(reports, Date.now())),
      ...listen(announcementChanged, (payload) => forwardChange(announcementChanged, payload)),
      ...listen(announcementFailed, (payload) => forwardChange(announcementFailed, payload)),
      ...listen(announcementMissed, (payload) => forwardChange(announcementMissed, payload)),
      ...listen(announcementPosted, (payload) => forwardChange(announcementPosted, payload)),
      ...listen(calendarChanged, (payload) => forwardChange(calendarChanged, payload)),
      ...listen(calendarEventChanged, (payload) => forwardChange(calendarEventChanged, payload)),
      ...listen(guildSettingsChanged, (payload) => forwardChange(guildSettingsChanged, payload)),
      ...listen(webhookChanged, (payload) => forwardChange(webhookChanged, payload)),
    },
    async started(this: Service) {
      const { logger } = this;
      await clock.sample();
      clockTimer = setInterval(() => void clock.sample().catch(() => undefined), CLOCK_SAMPLE_INTERVAL_MS);
      const firstKey = await ensureFirstKey(store, management, apiKey);
      if (firstKey !== undefined) onFirstKey?.(firstKey);
      const count = await store.countWithOtherPepper(pepperId(hashing.pepper));
      if (count > 0) logger.warn({ count }, "API_KEY_PEPPER has changed: some stored API keys are no longer accepted");
      const onError = (error: unknown) =>
        logger.warn({ err: error }, "the time of use of an API key or a feed could not be stored");
      const storeWithTimeouts = withTimeouts(store, () => KEY_QUERY_TIMEOUT_MS);
      const recordsWithTimeouts = withTimeouts(idempotencyRecords, () => KEY_QUERY_TIMEOUT_MS);
      const feedsWithTimeouts = withTimeouts(feeds, () => KEY_QUERY_TIMEOUT_MS);
      feedAuthentication = feedAuthenticator({ store: feedsWithTimeouts, hashing, onError });
      authenticator = apiKeyAuthenticator({ store: storeWithTimeouts, hashing, configured: apiKey, onError });
      gateway = new Gateway({
        pages,
        service: this as WebService,
        pingDatabase: () => pingDatabase(connection, DATABASE_PING_TIMEOUT_MS),
        runIdempotently: idempotentRunner(
          recordsWithTimeouts,
          idempotencyQuota(recordsWithTimeouts, options.idempotencyKeysPerGuild),
          (error) => logger.error({ err: error }, "the response of an Idempotency-Key could not be stored"),
        ),
        connectionAddress: connectionAddress(rateSettings.trustedProxies),
        connectionsPerAddress,
        admission: admission(authenticator, rates, clientAddress(rateSettings.trustedProxies)),
        admitFeed: feedAdmission(feedAuthentication, rates, clientAddress(rateSettings.trustedProxies)),
        ...(options.streamLimits === undefined ? {} : { streamLimits: options.streamLimits }),
        lostWrites: await lostWrites.list(),
        clock,
        port,
        host,
      });
      const actualPort = await gateway.start();
      if (options.busUrl !== undefined) {
        const busOptions = {
          natsUrl: options.busUrl,
          service: this,
          gateway,
          rates,
          clock,
          onUsers: options.onBusUsers,
        };
        bus = new BusGateway({ ...busOptions, store: withTimeouts(busUsers, () => KEY_QUERY_TIMEOUT_MS) });
        await bus.start();
      }
      reportTimer = setInterval(() => {
        const reports = rates.takeReports(Date.now());
        if (reports !== undefined) broadcast(this.broker, ratesUsed, reports, { groups: ["api"] });
      }, BROADCAST_INTERVAL_MS);
      onListening?.(actualPort);
    },
    async stopped() {
      await bus?.stop();
      await gateway?.stop(drainMs);
      clearInterval(reportTimer);
      clearInterval(clockTimer);
    },
  };
}
