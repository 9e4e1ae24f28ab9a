import type { ServiceBroker } from "moleculer";
import type { RetryOptions } from "../../mixins/bus/lost-call-retry.middleware.ts";
import type { Checked } from "../../mixins/actions/contract-action.ts";
import type { DatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { isServed } from "../../mixins/bus/service-registry.ts";
import { LimitedLog } from "../../mixins/observability/rate-limited-log.ts";
import { isLogged } from "../../mixins/observability/log-level.ts";
import { callAction } from "../../mixins/actions/typed-calls.ts";
import type { AnyContract } from "../contracts/every-action.ts";
import { openFeed, readFeedPage } from "../contracts/feeds.contract.ts";
import { type Health, healthOf } from "../contracts/health.contract.ts";
import { docsPages } from "./pages/docs.pages.ts";
import { healthPages } from "./pages/health.pages.ts";
import { type HttpServer, httpServer } from "./http/http-server.ts";
import type { FeedAdmission } from "./feeds/feed-admission.ts";
import { type FeedDownload, feedDownload } from "./feeds/feed-download.ts";
import type { PerformOnce } from "./idempotency/idempotency.ts";
import type { Admission } from "./rates/admission.ts";
import { accessLogLevel, accessLogFields } from "./observability/access-log.ts";
import { measureRequest } from "./observability/request-metrics.ts";
import { endRequestSpan, inRequestSpan } from "./observability/request-span.ts";
import { type RequestSteps, requestSteps } from "./request-handler.ts";
import { rootPage } from "./pages/root.page.ts";
import type { Page } from "./pages/page.ts";
import { ROUTES } from "./route-table.ts";
import { RequestSlots } from "./concurrency/request-concurrency.ts";
import { ServiceGone, ServiceWatch, TICK_MS } from "./service-health.ts";
import type { WebService } from "./web-gateway.ts";
import { type OwnerName, OWNERS } from "../contracts/service-names.ts";

export interface GatewayParts {
  readonly pages: readonly Page[];
  readonly service: Pick<WebService, "broker" | "logger" | "answer">;
  /** Whether the gateway's database answers. */
  readonly databaseAnswers: () => Promise<boolean>;
  readonly admission: Admission;
  readonly performOnce: PerformOnce;
  readonly clock: Pick<DatabaseClock, "now">;
  readonly admitFeed: FeedAdmission;
  readonly port: number;
  readonly host: string;
  readonly connectionsPerAddress?: number;
  readonly connectionAddress?: (socketAddress: string | undefined) => string | undefined;
}

const HEALTH_TIMEOUT_MS = 1_000;
/** Interval of log lines about full connections: an attacker must not fill the log. */
const FULL_LINES = { lines: 1, windowMs: 60_000 };
/** Limits for log lines of refused and of failed requests; the metrics count all requests. */
const REQUEST_LINES = { lines: 100, windowMs: 1_000 };

/** The pages that need no key. `missing` names the parts without which the gateway cannot serve requests. */
export function gatewayPages(missing: () => Promise<readonly string[]>): readonly Page[] {
  return [...healthPages(missing), rootPage(), ...docsPages(ROUTES)];
}

/** The gateway: the health checks of the services, the steps of a request, and the HTTP server. */
export class Gateway {
  readonly steps: RequestSteps;
  readonly feed: FeedDownload;
  readonly slots = new RequestSlots();
  readonly #broker: ServiceBroker;
  readonly #watch: ServiceWatch;
  readonly #databaseAnswers: () => Promise<boolean>;
  readonly #server: HttpServer;
  readonly #logs: readonly LimitedLog[];
  #ticking: NodeJS.Timeout | undefined;

  constructor({
    pages,
    service,
    databaseAnswers,
    admission,
    performOnce,
    clock,
    admitFeed,
    port,
    host,
    connectionAddress,
    connectionsPerAddress,
  }: GatewayParts) {
    const { broker, logger } = service;
    const watch = new ServiceWatch(
      OWNERS,
      (name) => askForHealth(broker, name),
      () => performance.now(),
    );
    this.#broker = broker;
    this.#watch = watch;
    this.#databaseAnswers = databaseAnswers;
    const refused = new LimitedLog((fields, text) => logger.info(fields, text), REQUEST_LINES);
    const failed = new LimitedLog((fields, text) => logger.warn(fields, text), REQUEST_LINES);
    const full = new LimitedLog((fields, text) => logger.warn(fields, text), FULL_LINES);
    this.#logs = [refused, failed, full];
    const logged = { debug: isLogged(broker, "debug"), info: isLogged(broker, "info"), warn: isLogged(broker, "warn") };
    this.steps = requestSteps({
      knownPaths: [...ROUTES.flatMap(({ paths }) => paths), ...pages.map((page) => page.path)],
      admission,
      performOnce,
      clock,
      slots: this.slots,
      call: ({ contract, shape }, params, meta) => this.call(contract, params, { meta, checkedBy: shape }),
      onDefect: (error, requestId) => logger.error({ err: error, requestId }, "request failed"),
    });
    this.feed = feedDownload({
      admit: admitFeed,
      call: (contract, params, meta) => this.call(contract as AnyContract, params, { meta }) as Promise<never>,
      onDefect: (error, requestId) => logger.error({ err: error, requestId }, "feed failed"),
    });
    this.#server = httpServer({
      port,
      host,
      limits: { maxConnectionsPerAddress: connectionsPerAddress ?? 0 },
      ...(connectionAddress === undefined ? {} : { addressOf: connectionAddress }),
      answer: (request, requestId, response) =>
        inRequestSpan(request, requestId, () => service.answer(request, requestId, response)),
      onServed: (served) => {
        const level = accessLogLevel(served);
        if (level === "warn" && logged.warn) failed.note("failed request", accessLogFields(served), "request");
        if (level === "info" && logged.info) refused.note("refused request", accessLogFields(served), "request");
        if (level === "debug" && logged.debug) logger.debug(accessLogFields(served), "request");
        measureRequest(served);
        endRequestSpan(served);
      },
      onBroken: (broken) => refused.note("broken request", broken, "broken request"),
      onFull: () => full.note("connections", {}, "no room for more connections: the idlest are closed"),
      onError: (error) => logger.error({ err: error }, "HTTP server"),
    });
  }

  /** Calls an owner's action. Rejects with ServiceGone while the owner, or another service that it asks, is not there. */
  call({ name, dependsOn }: AnyContract, params: unknown, options: Checked): Promise<unknown> {
    const owners = OWNERS_OF.get(name) ?? [];
    const asked = dependsOn?.(params) ?? [];
    const needed = asked.length === 0 ? owners : [...owners, ...asked];
    return this.#watch.whileThere(needed, () => this.#broker.call(name, params as object, options));
  }

  /** Names of the missing services and databases without which it cannot serve requests. */
  async missing(): Promise<readonly string[]> {
    return [...((await this.#databaseAnswers()) ? [] : ["database of api"]), ...this.#watch.missing()];
  }

  /** The port that it listens on. */
  async start(): Promise<number> {
    const port = await this.#server.listen();
    this.#watch.tick();
    this.#ticking = setInterval(() => this.#watch.tick(), TICK_MS);
    return port;
  }

  async stop(drainMs: number): Promise<void> {
    await this.#server.drain(drainMs);
    for (const log of this.#logs) log.flush();
    clearInterval(this.#ticking);
  }
}

async function askForHealth(broker: ServiceBroker, name: OwnerName): Promise<Health> {
  const contract = healthOf(name);
  // Moleculer logs a warning for each call to a service that has not started yet.
  if (!isServed(broker, contract.name)) throw new ServiceGone(false);
  const options: RetryOptions = { timeout: HEALTH_TIMEOUT_MS, retries: 0, offeredForMs: 0 };
  return callAction(broker, contract, {}, options);
}

/** The service that owns the action; undefined for actions of the gateway itself. */
const OWNERS_OF: ReadonlyMap<string, readonly OwnerName[]> = new Map(
  [...ROUTES.map(({ contract }) => contract), openFeed, readFeedPage].map(({ name }) => [
    name,
    OWNERS.filter((service) => name.startsWith(`${service}.`)),
  ]),
);
