import type { ServiceBroker } from "moleculer";
import type { CallOptions } from "../../mixins/bus/call-attempts.ts";
import type { DatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { isActionAvailable } from "../../mixins/bus/service-registry.ts";
import { RateLimitedLog } from "../../mixins/observability/rate-limited-log.ts";
import { isLogged } from "../../mixins/observability/log-level.ts";
import { callAction } from "../../mixins/actions/typed-calls.ts";
import type { AnyContract } from "../contracts/every-action.ts";
import { CHANGE_STREAM_PATH, ChangeStreams, type STREAM_LIMITS } from "./changes/change-streams.ts";
import { CHANGES_ACTIONS, type ChangesReader, changesReader } from "./changes/changes-reader.ts";
import { openFeed, readFeedPage } from "../contracts/feeds.contract.ts";
import { type Health, healthOf } from "../contracts/health.contract.ts";
import { consolePages } from "./pages/console.pages.ts";
import { docsPages } from "./pages/docs.pages.ts";
import { healthPages } from "./pages/health.pages.ts";
import { type HttpServer, httpServer } from "./http/http-server.ts";
import type { FeedAdmission } from "./feeds/feed-admission.ts";
import { type FeedDownload, feedDownload } from "./feeds/feed-download.ts";
import type { RunIdempotently } from "./idempotency/idempotency.ts";
import { type CalendarImport, calendarImport, IMPORT_PATH } from "./imports/calendar-import.ts";
import { importEvents } from "../contracts/event-import.contract.ts";
import type { Admission } from "./rates/admission.ts";
import { accessLogLevel, accessLogFields } from "./observability/access-log.ts";
import { measureRequest } from "./observability/request-metrics.ts";
import { endRequestSpan, inRequestSpan } from "./observability/request-span.ts";
import { type RequestHandler, requestHandler } from "./request-handler.ts";
import { rootPage } from "./pages/root.page.ts";
import type { Page } from "./pages/page.ts";
import { ROUTE_CONTRACTS, ROUTES } from "./route-table.ts";
import { RequestConcurrency } from "./concurrency/request-concurrency.ts";
import { ServiceUnavailable, ServiceHealth, TICK_INTERVAL_MS } from "./service-health.ts";
import type { WebService } from "./web-gateway.ts";
import { type OwnerName, OWNERS } from "../contracts/service-names.ts";
import type { Window } from "../contracts/window.ts";

export interface GatewayOptions {
  readonly pages: readonly Page[];
  readonly service: Pick<WebService, "broker" | "logger" | "respond">;
  readonly pingDatabase: () => Promise<boolean>;
  readonly admission: Admission;
  readonly runIdempotently: RunIdempotently;
  readonly clock: Pick<DatabaseClock, "now">;
  readonly admitFeed: FeedAdmission;
  readonly streamLimits?: Partial<typeof STREAM_LIMITS>;
  readonly lostWrites?: readonly Window[];
  readonly port: number;
  readonly host: string;
  readonly connectionsPerAddress?: number;
  readonly connectionAddress?: (socketAddress: string | undefined) => string | undefined;
}

/** Limit for log lines about too many connections: an attacker must not fill the log. */
const CONNECTION_LIMIT_LINES = { lines: 1, windowMs: 60_000 };
/** Limit for log lines of refused and of failed requests; the metrics count all requests. */
const REQUEST_LINES = { lines: 100, windowMs: 1_000 };

/** The pages that need no API key. `missing` returns the names of unavailable services and databases. */
export function gatewayPages(missing: () => Promise<readonly string[]>): readonly Page[] {
  return [...healthPages(missing), rootPage(), ...docsPages(ROUTES), ...consolePages()];
}

/** Composes the health checks of the services, the request handler and the HTTP server. */
export class Gateway {
  readonly requestHandler: RequestHandler;
  readonly feed: FeedDownload;
  readonly calendarImport: CalendarImport;
  readonly changes: ChangesReader;
  readonly changeStreams: ChangeStreams;
  readonly concurrency = new RequestConcurrency();
  readonly #broker: ServiceBroker;
  readonly #serviceHealth: ServiceHealth;
  readonly #pingDatabase: () => Promise<boolean>;
  readonly #server: HttpServer;
  readonly #logs: readonly RateLimitedLog[];
  #tickTimer: NodeJS.Timeout | undefined;

  constructor({
    pages,
    service,
    pingDatabase,
    admission,
    runIdempotently,
    clock,
    admitFeed,
    streamLimits = {},
    lostWrites = [],
    port,
    host,
    connectionAddress,
    connectionsPerAddress,
  }: GatewayOptions) {
    const { broker, logger } = service;
    this.#serviceHealth = new ServiceHealth(
      OWNERS,
      (name, timeout) => checkHealth(broker, name, timeout),
      () => performance.now(),
      ({ isAvailable, ...silence }) =>
        isAvailable
          ? logger.info(silence, "service is available again")
          : logger.warn(silence, "service is unavailable: its requests get 503"),
    );
    this.#broker = broker;
    this.#pingDatabase = pingDatabase;
    const refusedLog = new RateLimitedLog((fields, text) => logger.info(fields, text), REQUEST_LINES);
    const failedLog = new RateLimitedLog((fields, text) => logger.warn(fields, text), REQUEST_LINES);
    const connectionLog = new RateLimitedLog((fields, text) => logger.warn(fields, text), CONNECTION_LIMIT_LINES);
    this.#logs = [refusedLog, failedLog, connectionLog];
    const logged = { debug: isLogged(broker, "debug"), info: isLogged(broker, "info"), warn: isLogged(broker, "warn") };
    this.requestHandler = requestHandler({
      knownPaths: [
        ...ROUTES.flatMap(({ paths }) => paths),
        CHANGE_STREAM_PATH,
        IMPORT_PATH,
        ...pages.map((page) => page.path),
      ],
      admission,
      runIdempotently,
      clock,
      concurrency: this.concurrency,
      call: ({ contract }, params, meta, onResponse) => this.call(contract, params, { meta, onResponse }),
      onDefect: (error, requestId) => logger.error({ err: error, requestId }, "request failed"),
    });
    this.feed = feedDownload({
      admit: admitFeed,
      call: (contract, params, meta) => this.call(contract as AnyContract, params, { meta }) as Promise<never>,
      onDefect: (error, requestId) => logger.error({ err: error, requestId }, "feed failed"),
    });
    this.calendarImport = calendarImport({
      admission,
      concurrency: this.concurrency,
      clock,
      call: (params, meta) => this.call(importEvents as AnyContract, params, { meta }) as Promise<never>,
    });
    this.changes = changesReader({
      call: (contract, params, meta) => this.call(contract as AnyContract, params, { meta }) as Promise<never>,
      now: () => clock.now(),
      lostWrites,
    });
    this.changeStreams = new ChangeStreams({
      admission,
      reader: this.changes,
      onDefect: (error, requestId) => logger.error({ err: error, requestId }, "stream of changes failed"),
      limits: streamLimits,
    });
    this.#server = httpServer({
      port,
      host,
      limits: { maxConnectionsPerAddress: connectionsPerAddress ?? 0 },
      ...(connectionAddress === undefined ? {} : { addressOf: connectionAddress }),
      respond: (request, requestId, response) =>
        inRequestSpan(request, requestId, () => service.respond(request, requestId, response)),
      onServed: (served) => {
        const level = accessLogLevel(served);
        if (level === "warn" && logged.warn) failedLog.note("failed request", accessLogFields(served), "request");
        if (level === "info" && logged.info) refusedLog.note("refused request", accessLogFields(served), "request");
        if (level === "debug" && logged.debug) logger.debug(accessLogFields(served), "request");
        measureRequest(served);
        endRequestSpan(served);
      },
      onMalformed: (malformed) => refusedLog.note("malformed request", malformed, "malformed request"),
      onConnectionLimit: () => connectionLog.note("connections", {}, "too many connections: a new one was refused"),
      onError: (error) => logger.error({ err: error }, "HTTP server"),
    });
  }

  /** Calls an owner's action. Rejects with ServiceUnavailable while the owner, or a service that it calls, is unavailable. */
  call({ name, dependsOn }: AnyContract, params: unknown, options: CallOptions): Promise<unknown> {
    const owners = OWNERS_BY_ACTION.get(name) ?? [];
    const dependencies = dependsOn?.(params) ?? [];
    const services = dependencies.length === 0 ? owners : [...owners, ...dependencies];
    return this.#serviceHealth.whileAvailable(services, () => this.#broker.call(name, params as object, options));
  }

  /** Names of the services and databases that the gateway needs and that are unavailable. */
  async missing(): Promise<readonly string[]> {
    return [...((await this.#pingDatabase()) ? [] : ["database of api"]), ...this.#serviceHealth.missing()];
  }

  /** Resolves with the port. */
  async start(): Promise<number> {
    const port = await this.#server.listen();
    this.#serviceHealth.tick();
    this.#tickTimer = setInterval(() => this.#serviceHealth.tick(), TICK_INTERVAL_MS);
    return port;
  }

  async stop(drainMs: number): Promise<void> {
    this.changeStreams.close();
    await this.#server.drain(drainMs);
    for (const log of this.#logs) log.flush();
    clearInterval(this.#tickTimer);
  }
}

async function checkHealth(broker: ServiceBroker, name: OwnerName, timeout: number): Promise<Health> {
  const contract = healthOf(name);
  // Moleculer logs a warning for each call to a service that has not started yet.
  if (!isActionAvailable(broker, contract.name)) throw new ServiceUnavailable(false);
  return callAction(broker, contract, {}, { timeout, retries: 0 });
}

/** A list with the owner of each action; empty for an action of the gateway itself. */
const OWNERS_BY_ACTION: ReadonlyMap<string, readonly OwnerName[]> = new Map(
  [...ROUTE_CONTRACTS, importEvents, openFeed, readFeedPage, ...CHANGES_ACTIONS].map(({ name }) => [
    name,
    OWNERS.filter((service) => name.startsWith(`${service}.`)),
  ]),
);
