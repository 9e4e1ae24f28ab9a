import type { IncomingMessage, ServerResponse } from "node:http";
import type { Service, ServiceSchema } from "moleculer";
import WebGateway from "moleculer-web";
import type { Caller } from "../contracts/contract.ts";
import type { HttpResponse } from "./http/http-response.ts";
import { CHANGE_STREAM_PATH, type ChangeStreams } from "./changes/change-streams.ts";
import { type CalendarImport, IMPORT_PATH } from "./imports/calendar-import.ts";
import type { FeedDownload } from "./feeds/feed-download.ts";
import { FEED_ROUTE, tokenIn } from "./feeds/feed-path.ts";
import type { Allowed } from "./rates/admission.ts";
import { requestPath } from "./http/request-path.ts";
import { type CheckedRequest, methodNotAllowed, type RequestHandler } from "./request-handler.ts";
import { pathsOf } from "./route-table.ts";
import type { Page } from "./pages/page.ts";
import type { Route } from "./route.ts";

/** A request in moleculer-web, with the results of its steps so far. */
interface Exchange {
  readonly requestId: string;
  readonly respond: (response: HttpResponse | Promise<HttpResponse>) => void;
  allowed?: Allowed;
  checked?: CheckedRequest;
}

/** Pages of allowed origins may send every request that a client may send (Fetch Standard, section 3.3). */
const CORS = {
  methods: ["GET", "POST"],
  allowedHeaders: [
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "last-event-id",
    "traceparent",
    "x-request-id",
  ],
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
  /** The response to a request; rejects only with ClientDisconnected. */
  respond(request: IncomingMessage, requestId: string, response: ServerResponse): Promise<HttpResponse>;
}

/** The alias of all feeds. It is not a path that a client can request. */
const FEED_ALIAS = FEED_ROUTE.replace("{token}.ics", "");

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
interface WebGatewayParts {
  readonly routes: readonly Route[];
  readonly pages: readonly Page[];
  /** Called only after the service has started. */
  readonly requestHandler: () => RequestHandler;
  /** Responds to requests of feeds; called only after the service has started. */
  readonly feed: () => FeedDownload;
  /** Responds to requests for imports of calendars; called only after the service has started. */
  readonly calendarImport: () => CalendarImport;
  /** Responds to requests for streams of changes; called only after the service has started. */
  readonly changeStreams: () => Pick<ChangeStreams, "respond">;
  /** Origins whose pages may read responses; `*` for all. None by default: no CORS header is sent. */
  readonly corsOrigins?: readonly string[] | undefined;
}

type Hook = (context: unknown, route: unknown, request: IncomingMessage) => unknown;

/**
 * moleculer-web with an alias for each path of the route table and for each page. Its hooks run the steps of a request:
 * `onBeforeCall` checks the method, `authenticate` the key, `authorize` the body, the params and the guild; then the alias
 * calls the action. `onError` responds to every error that they throw.
 *
 * Other features of moleculer-web are off: it parses no body, merges no params, reads no query, exposes no action without an
 * alias, and registers no action on the bus. It logs only at `debug`. The HTTP server is http-server.ts.
 */
export function webGateway({
  routes,
  pages,
  requestHandler,
  feed,
  calendarImport,
  changeStreams,
  corsOrigins = [],
}: WebGatewayParts): Partial<ServiceSchema> {
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const routeByPath = new Map(routes.flatMap((route) => pathsOf(route).map((path) => [path, route] as const)));
  const aliasByPath = new Map<string, Alias>();
  const pathByHandler = new Map<unknown, string>();

  const exchangeOf = (request: IncomingMessage) => exchanges.get(request) as Exchange;
  const fail = (request: IncomingMessage, error: unknown) => {
    const { respond, requestId } = exchangeOf(request);
    respond(requestHandler().errorResponse(error, requestId));
  };

  /** Looks up the path in a map: moleculer-web would try one regular expression after the other. A feed has any token. */
  const aliasAt = (path: string) => aliasByPath.get(tokenIn(path) === undefined ? path : FEED_ALIAS);

  const checkMethod: Hook = (_context, _route, request) => {
    const { method } = aliasAt(requestPath(request)) as Alias;
    const methods = method === "GET" ? ["GET", "HEAD"] : [method];
    if (!methods.includes(request.method ?? "")) throw methodNotAllowed(methods.join(", "));
  };

  /** One handler for each path: moleculer-web finds the path by its handler. */
  const callAction = (): Handler => (request) => {
    const { respond, checked } = exchangeOf(request);
    respond(requestHandler().perform(checked as CheckedRequest));
  };

  const servePage =
    (page: Page): Handler =>
    (request) => {
      const { respond, requestId } = exchangeOf(request);
      respond(requestHandler().servePage(page, request, requestId));
    };

  const sendFeed: Handler = (request) => {
    const { respond, requestId } = exchangeOf(request);
    feed()(request, requestId).then(respond, (error: unknown) => fail(request, error));
  };

  const importCalendar = (): Handler => (request) => {
    const { respond, requestId } = exchangeOf(request);
    calendarImport()(request, requestId).then(respond, (error: unknown) => fail(request, error));
  };

  const sendChanges = (): Handler => (request) => {
    const { respond, requestId } = exchangeOf(request);
    changeStreams()
      .respond(request, requestId)
      .then(respond, (error: unknown) => fail(request, error));
  };

  const aliasesOf = (method: string, handlers: readonly (readonly [path: string, handler: Handler])[]) => {
    for (const [path, handler] of handlers) pathByHandler.set(handler, path);
    return Object.fromEntries(handlers.map(([path, handler]) => [`${method} ${path}`, handler]));
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
  const routesWithKey = {
    ...hooks,
    name: "endpoints",
    authentication: "authenticate",
    authorization: "authorize",
    aliases: aliasesOf(
      "POST",
      [...routeByPath.keys()].map((path) => [path, callAction()] as const),
    ),
  };
  // The feed, the stream and the import check their token or their key themselves.
  const pagesWithoutKey = {
    ...hooks,
    name: "pages",
    aliases: {
      ...aliasesOf("GET", [
        ...pages.map((page) => [page.path, servePage(page)] as const),
        [FEED_ALIAS, sendFeed] as const,
        ...pathsOf({ paths: [CHANGE_STREAM_PATH] }).map((path) => [path, sendChanges()] as const),
      ]),
      ...aliasesOf(
        "POST",
        pathsOf({ paths: [IMPORT_PATH] }).map((path) => [path, importCalendar()] as const),
      ),
    },
  };

  const { rest } = WebGateway.actions ?? {};
  const isAllowedOrigin = (origin: string | undefined) =>
    origin !== undefined && (corsOrigins.includes("*") || corsOrigins.includes(origin));

  const settings = {
    ...WebGateway.settings,
    // A function, because moleculer-web compares a list with the beginning of the origin only.
    ...(corsOrigins.length === 0
      ? {}
      : { cors: { ...CORS, origin: corsOrigins.includes("*") ? "*" : isAllowedOrigin } }),
    server: false,
    routes: [routesWithKey, pagesWithoutKey],
    logRouteRegistration: false,
    // The request id of the HTTP server; and no tracking of calls, since a stop waits for the HTTP server's requests.
    rootCallOptions: (options: object, request: IncomingMessage) =>
      Object.assign(options, { requestID: exchangeOf(request).requestId, tracking: false }),
  };
  return {
    // Moleculer sends a service's settings to every other process, except the secure ones.
    settings: { ...settings, $secureSettings: Object.keys(settings) },
    mixins: [{ ...WebGateway, settings: {}, actions: rest === undefined ? {} : { rest }, events: {} }],
    methods: {
      authenticate: async (_context: unknown, _route: unknown, request: IncomingMessage): Promise<Caller> => {
        const allowed = await requestHandler().admit(request);
        exchangeOf(request).allowed = allowed;
        return allowed.caller;
      },

      authorize: async (_context: unknown, _route: unknown, request: IncomingMessage): Promise<void> => {
        const exchange = exchangeOf(request);
        const route = routeByPath.get(requestPath(request)) as Route;
        exchange.checked = await requestHandler().check(
          route,
          exchange.allowed as Allowed,
          request,
          exchange.requestId,
        );
      },

      resolveAlias(url: string) {
        const alias = url === FEED_ALIAS ? undefined : aliasAt(url);
        return alias === undefined ? false : { alias, params: {} };
      },

      /** moleculer-web reads no query; imports and streams read theirs. moleculer-web removes a slash at the end, which is part of the path here. */
      parseQueryString: (request: IncomingMessage) => {
        const url = requestPath(request);
        return { query: {}, url: url !== "/" && url.endsWith("/") ? `${url}/` : url };
      },

      /**
       * Sends CORS headers to allowed origins; without them the browser hides the response. True if the request was a
       * preflight, to which it responds. moleculer-web would refuse any other origin, also the one of the docs page.
       */
      corsHandler(
        this: Service & { writeCorsHeaders(...all: unknown[]): void },
        cors: unknown,
        request: IncomingMessage,
        response: ServerResponse,
      ) {
        if (!isAllowedOrigin(request.headers.origin)) return false;
        const isPreflight =
          request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
        this.writeCorsHeaders(cors, request, response, isPreflight);
        if (isPreflight) exchangeOf(request).respond({ status: 200, headers: {}, body: "" });
        return isPreflight;
      },

      errorHandler: (request: IncomingMessage, _response: unknown, error: unknown) => fail(request, error),

      send404: (request: IncomingMessage) => {
        const { respond, requestId } = exchangeOf(request);
        respond(requestHandler().notFound(requestPath(request), requestId));
      },

      respond(
        this: Service & Readonly<Record<string, Handler>>,
        request: IncomingMessage,
        requestId: string,
        response: ServerResponse,
      ) {
        return new Promise<HttpResponse>((resolve) => {
          exchanges.set(request, { requestId, respond: resolve });
          this["httpHandler"]!(request, response);
        });
      },
    },

    created(this: Service & { readonly aliases: readonly Alias[] }) {
      for (const alias of this.aliases) aliasByPath.set(pathByHandler.get(alias.handler) ?? "", alias);
    },
  } as unknown as Partial<ServiceSchema>;
}
