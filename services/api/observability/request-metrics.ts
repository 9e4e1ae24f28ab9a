import type { IncomingMessage } from "node:http";
import { httpRequestSeconds } from "../../../mixins/observability/metrics.ts";
import { FEED_ROUTE, tokenIn } from "../feeds/feed-path.ts";
import type { Served } from "../http/http-server.ts";
import { pathOf } from "../request-handler.ts";
import { pathsOf, ROUTES } from "../route-table.ts";

/** An alias counts as what it stands for. */
const ROUTE_AT = new Map(ROUTES.flatMap((route) => pathsOf(route).map((path) => [path, route.paths[0]] as const)));

/** The endpoint that a request is for, under its first path; undefined where its path is none. */
export function routeOf(request: IncomingMessage): string | undefined {
  const path = pathOf(request);
  return tokenIn(path) === undefined ? ROUTE_AT.get(path) : FEED_ROUTE;
}

/** Counts a request that was answered. Paths that are no endpoint's share one label: clients make up as many as they like. */
export function measureRequest({ request, status, ms }: Pick<Served, "request" | "status" | "ms">): void {
  httpRequestSeconds.observe({ route: routeOf(request) ?? "other", status }, ms / 1000);
}
