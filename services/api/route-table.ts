import { keyRoutes } from "./admin/keys.routes.ts";
import type { Route } from "./route.ts";
import { announcementRoutes } from "./v1/announcement.routes.ts";
import { settingsRoutesV1 } from "./v1/settings.routes.ts";
import { calendarRoutes } from "./v2/calendar.routes.ts";
import { changesRoutes } from "./v2/changes.routes.ts";
import { feedRoutes } from "./v2/feeds.routes.ts";
import { followRoutes } from "./v2/follow.routes.ts";
import { eventRoutes } from "./v2/events.routes.ts";
import { planRoutes } from "./v2/plan.routes.ts";
import { settingsRoutesV2 } from "./v2/settings.routes.ts";
import { webhookRoutes } from "./v2/webhooks.routes.ts";

/**
 * Every endpoint, for the gateway, the API document and the tests. The order is the order of the document, in which the
 * examples work one after the other.
 */
export const ROUTES: readonly Route[] = [
  ...eventRoutes,
  ...announcementRoutes,
  ...settingsRoutesV1,
  ...settingsRoutesV2,
  ...calendarRoutes,
  ...followRoutes,
  ...feedRoutes,
  ...planRoutes,
  ...changesRoutes,
  ...webhookRoutes,
  ...keyRoutes,
];

/** Every path of the route: the canonical one, the aliases, and each of them under /api (D2). */
export function pathsOf({ paths }: Pick<Route, "paths">): string[] {
  return [...paths, ...paths.map((path) => `/api${path}`)];
}

/** The contracts of all endpoints, those of pages included; several endpoints may have one contract. */
export const ROUTE_CONTRACTS: readonly Route["contract"][] = [
  ...new Set(ROUTES.flatMap(({ contract, pages }) => (pages === undefined ? [contract] : [contract, pages.contract]))),
];

/** The summary of an action that an endpoint calls. */
export function summaryOf(action: string): string {
  const route = routeCalling(action) as Route;
  return route.contract.name === action ? route.summary : `${route.summary}, in pages`;
}

/** The first endpoint that calls an action. */
export function routeCalling(action: string): Route | undefined {
  return ROUTES.find(({ contract, pages }) => contract.name === action || pages?.contract.name === action);
}
