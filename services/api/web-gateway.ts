import type { IncomingMessage, ServerResponse } from "node:http";
import type { Service, ServiceSchema } from "moleculer";
import WebGateway from "moleculer-web";
import type { Caller } from "../contracts/contract.ts";
import type { Answer } from "./http/http-response.ts";
import type { FeedDownload } from "./feeds/feed-download.ts";
import { FEED_ROUTE, tokenIn } from "./feeds/feed-path.ts";
import type { Allowed } from "./rates/admission.ts";
import { type Checked, otherMethod, pathOf, type RequestSteps } from "./request-handler.ts";
import { pathsOf } from "./route-table.ts";
import type { Page } from "./pages/page.ts";
import type { Route } from "./route.ts";

/** A request in moleculer-web, with the results of its steps so far. */
interface Exchange {
  readonly requestId: string;
  readonly answer: (answer: Answer | Promise<Answer>) => void;
  admitted?: Allowed;
  checked?: Checked;
}

/** Pages of allowed origins may send every request that a client may send (Fetch Standard, section 3.3). */
const CORS = {
  methods: ["GET", "POST"],
  allowedHeaders: ["authorization", "content-type", "idempotency-key", "if-match", "traceparent", "x-request-id"],
  exposedHeaders: ["etag", "ratelimit", "ratelimit-policy", "retry-after", "x-request-id"],
  maxAge: 600,
};

/** The properties of moleculer-web's alias that this file uses. */
interface Alias {
  readonly method: string;
  readonly handler: unknown;
}

/** The service as the HTTP server sees it. */
export interface WebService extends Service {
  /** The answer to a request; rejects only with SenderGone. */
  answer(request: IncomingMessage, requestId: string, response: ServerResponse): Promise<Answer>;
}

/** The alias of all feeds; itself it is no path. */
const FEED_ALIAS = FEED_ROUTE.replace("{token}.ics", "");

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
interface WebGatewayParts {
  readonly routes: readonly Route[];
  readonly pages: readonly Page[];
  /** Called after the service has started. */
  readonly steps: () => RequestSteps;
  /** Answers requests of feeds; called after the service has started. */
  readonly feed: () => FeedDownload;
  /** Origins whose pages may read answers; `*` for all. None by default: no CORS header is sent. */
  readonly corsOrigins?: readonly string[] | undefined;
}

type Hook = (context: unknown, route: unknown, request: IncomingMessage) => unknown;

/**
 * moleculer-web with an alias for each path of the route table and for each page. Its hooks run the steps of a request:
 * `onBeforeCall` checks the method, `authenticate` the key, `authorize` the body, the params and the guild; then the alias
 * calls the action. `onError` answers every error that they throw.
 *
 * Other features of moleculer-web are off: it parses no body, merges no params, reads no query, exposes no action without an
 * alias, and registers no action on the bus. It logs only at `debug`. The HTTP server is http-server.ts.
 */
export function webGateway({ routes, pages, steps, feed, corsOrigins = [] }: WebGatewayParts): Partial<ServiceSchema> {
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const routeOf = new Map(routes.flatMap((route) => pathsOf(route).map((each) => [each, route] as const)));
  /** Aliases by path. */
  const aliases = new Map<string, Alias>();
  const pathFor = new Map<unknown, string>();

  const exchangeOf = (request: IncomingMessage) => exchanges.get(request) as Exchange;
  const fail = (request: IncomingMessage, error: unknown) => {
    const { answer, requestId } = exchangeOf(request);
    answer(steps().failure(error, requestId));
  };

  /** By the path alone, in a map: moleculer-web would try one regular expression after the other. A feed has any token. */
  const aliasAt = (path: string) => aliases.get(tokenIn(path) === undefined ? path : FEED_ALIAS);

  const checkMethod: Hook = (_context, _route, request) => {
    const { method } = aliasAt(pathOf(request)) as Alias;
    const methods = method === "GET" ? ["GET", "HEAD"] : [method];
    if (!methods.includes(request.method ?? "")) throw otherMethod(methods.join(", "));
  };

  const callAction =
    (route: Route): Handler =>
    (request) => {
      const { answer, checked } = exchangeOf(request);
      answer(steps().perform(route, checked as Checked));
    };

  const showPage =
    (page: Page): Handler =>
    (request) => {
      const { answer, requestId } = exchangeOf(request);
      answer(steps().show(page, request, requestId));
    };

  const sendFeed: Handler = (request) => {
    const { answer, requestId } = exchangeOf(request);
    feed()(request, requestId).then(answer, (error: unknown) => fail(request, error));
  };

  const aliasesOf = (method: string, handlers: readonly (readonly [path: string, handler: Handler])[]) => {
    for (const [each, handler] of handlers) pathFor.set(handler, each);
    return Object.fromEntries(handlers.map(([each, handler]) => [`${method} ${each}`, handler]));
  };

  const hooks = {
    path: "/",
    bodyParsers: false,
    mergeParams: false,
    autoAliases: false,
    mappingPolicy: "restrict",
    logging: false,
    onBeforeCall: checkMethod,
    onError: (request: IncomingMessage, _response: unknown, error: unknown) => fail(request, error),
  };
  const forKeys = {
    ...hooks,
    name: "for keys",
    authentication: "authenticate",
    authorization: "authorize",
    aliases: aliasesOf(
      "POST",
      [...routeOf].map(([each, route]) => [each, callAction(route)] as const),
    ),
  };
  const forEverybody = {
    ...hooks,
    name: "for everybody",
    aliases: aliasesOf("GET", [
      ...pages.map((page) => [page.path, showPage(page)] as const),
      [FEED_ALIAS, sendFeed] as const,
    ]),
  };

  const { rest } = WebGateway.actions ?? {};
  const isOpenTo = (origin: string | undefined) =>
    origin !== undefined && (corsOrigins.includes("*") || corsOrigins.includes(origin));

  const settings = {
    ...WebGateway.settings,
    // Compared as a whole: moleculer-web would take a listed origin's beginning for it.
    ...(corsOrigins.length === 0 ? {} : { cors: { ...CORS, origin: corsOrigins.includes("*") ? "*" : isOpenTo } }),
    server: false,
    routes: [forKeys, forEverybody],
    logRouteRegistration: false,
    // Its own id would be another one; and a stop waits for requests by the server's count.
    rootCallOptions: (options: object, request: IncomingMessage) =>
      Object.assign(options, { requestID: exchangeOf(request).requestId, tracking: false }),
  };
  return {
    // Moleculer tells the settings to every other process, but for these.
    settings: { ...settings, $secureSettings: Object.keys(settings) },
    mixins: [{ ...WebGateway, settings: {}, actions: rest === undefined ? {} : { rest }, events: {} }],
    methods: {
      authenticate: async (_context: unknown, _route: unknown, request: IncomingMessage): Promise<Caller> => {
        const admitted = await steps().admit(request);
        exchangeOf(request).admitted = admitted;
        return admitted.caller;
      },

      authorize: async (_context: unknown, _route: unknown, request: IncomingMessage): Promise<void> => {
        const exchange = exchangeOf(request);
        const route = routeOf.get(pathOf(request)) as Route;
        exchange.checked = await steps().check(route, exchange.admitted as Allowed, request, exchange.requestId);
      },

      resolveAlias(url: string) {
        const alias = url === FEED_ALIAS ? undefined : aliasAt(url);
        return alias === undefined ? false : { alias, params: {} };
      },

      /** Nobody reads a query (D2). A slash at the end is part of the path: moleculer-web takes one off. */
      parseQueryString: (request: IncomingMessage) => {
        const url = pathOf(request);
        return { query: {}, url: url !== "/" && url.endsWith("/") ? `${url}/` : url };
      },

      /**
       * moleculer-web would refuse a request of any other origin, and a browser names the docs page's own, too. Whom nothing
       * is allowed gets no header, and its browser shows it nothing. True when a preflight is answered.
       */
      corsHandler(
        this: Service & { writeCorsHeaders(...all: unknown[]): void },
        cors: unknown,
        request: IncomingMessage,
        response: ServerResponse,
      ) {
        if (!isOpenTo(request.headers.origin)) return false;
        const isPreflight =
          request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
        this.writeCorsHeaders(cors, request, response, isPreflight);
        if (isPreflight) exchangeOf(request).answer({ status: 200, headers: {}, body: "" });
        return isPreflight;
      },

      errorHandler: (request: IncomingMessage, _response: unknown, error: unknown) => fail(request, error),

      send404: (request: IncomingMessage) => {
        const { answer, requestId } = exchangeOf(request);
        answer(steps().nowhere(pathOf(request), requestId));
      },

      answer(
        this: Service & Readonly<Record<string, Handler>>,
        request: IncomingMessage,
        requestId: string,
        response: ServerResponse,
      ) {
        return new Promise<Answer>((resolve) => {
          exchanges.set(request, { requestId, answer: resolve });
          this["httpHandler"]!(request, response);
        });
      },
    },

    created(this: Service & { readonly aliases: readonly Alias[] }) {
      for (const alias of this.aliases) aliases.set(pathFor.get(alias.handler) ?? "", alias);
    },
  } as unknown as Partial<ServiceSchema>;
}
