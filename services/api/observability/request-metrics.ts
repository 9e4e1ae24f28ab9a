import type { IncomingMessage } from "node:http";
import { httpRequestSeconds } from "../../../mixins/observability/metrics.ts";
import { CHANGE_STREAM_PATH } from "../changes/change-streams.ts";
import { FEED_ROUTE, tokenIn } from "../feeds/feed-path.ts";
import type { ServedRequest } from "../http/http-server.ts";
import { requestPath } from "../http/request-path.ts";
import { IMPORT_PATH } from "../imports/calendar-import.ts";
import { pathsOf, ROUTES } from "../route-table.ts";

/** The canonical path by each path of an endpoint. */
const CANONICAL_PATHS = new Map(
  [...ROUTES, { paths: [CHANGE_STREAM_PATH] as const }, { paths: [IMPORT_PATH] as const }].flatMap((route) =>
    pathsOf(route).map((path) => [path, route.paths[0]] as const),
  ),
);

/** The canonical path of the endpoint; undefined for the path of a page and for an unknown path. */
export function routeOf(request: IncomingMessage): string | undefined {
  const path = requestPath(request);
  return tokenIn(path) === undefined ? CANONICAL_PATHS.get(path) : FEED_ROUTE;
}

/** Counts a request. All other paths share one label, since clients can invent any number of them. */
export function measureRequest({ request, status, ms }: Pick<ServedRequest, "request" | "status" | "ms">): void {
  httpRequestSeconds.observe({ route: routeOf(request) ?? "other", status }, ms / 1000);
}
