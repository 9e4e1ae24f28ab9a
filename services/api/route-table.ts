import { keyRoutes } from "./admin/keys.routes.ts";
import type { Route } from "./route.ts";
import { announcementRoutes } from "./v1/announcement.routes.ts";
import { settingsRoutesV1 } from "./v1/settings.routes.ts";
import { calendarRoutes } from "./v2/calendar.routes.ts";
import { feedRoutes } from "./v2/feeds.routes.ts";
import { eventRoutes } from "./v2/events.routes.ts";
import { settingsRoutesV2 } from "./v2/settings.routes.ts";

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
  ...feedRoutes,
  ...keyRoutes,
];

/** Every path of the route: the canonical one, the aliases, and each of them under /api (D2). */
export function pathsOf({ paths }: Pick<Route, "paths">): string[] {
  return [...paths, ...paths.map((path) => `/api${path}`)];
}
