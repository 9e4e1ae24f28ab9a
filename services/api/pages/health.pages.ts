import { timeZones } from "../../../mixins/time-zones/time-zones.ts";
import { jsonResponse } from "../http/http-response.ts";
import type { Page } from "./page.ts";

const LIVE = "/health/live";
const READY = "/health/ready";

/** Summaries for the API document. */
export const HEALTH_PATHS = {
  [LIVE]: "Reports whether the gateway's process is alive",
  [READY]:
    "Reports whether the gateway can serve requests. A 503 names unavailable services and databases; `time_zones` is the release of the time zone database",
};

/**
 * The probes of an orchestrator on the port of the API: they concern the gateway and the services that it calls. Each
 * process, the gateway included, has probes of its own on another port (mixins/observability/probe-server.ts).
 *
 * @param missing - Returns the names of unavailable services and databases.
 */
export function healthPages(missing: () => Promise<readonly string[]>): readonly Page[] {
  const live = jsonResponse(200, { status: "live" });
  return [
    { path: LIVE, respond: () => live },
    {
      path: READY,
      async respond() {
        const names = await missing();
        return names.length === 0
          ? jsonResponse(200, { status: "ready", time_zones: timeZones().version })
          : jsonResponse(503, { status: "not ready", missing: names }, { "retry-after": "1" });
      },
    },
  ];
}
