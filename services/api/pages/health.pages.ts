import { timeZones } from "../../../mixins/time-zones/time-zones.ts";
import { jsonAnswer } from "../http/http-response.ts";
import type { Page } from "./page.ts";

const LIVE = "/health/live";
const READY = "/health/ready";

/** What each path tells, for the API document. */
export const HEALTH_PATHS = {
  [LIVE]: "Tells whether the gateway's process is alive",
  [READY]:
    "Tells whether the gateway can serve requests; a 503 names what is missing. `time_zones` is the release of the time zone database",
};

/** For an orchestrator. `missing` names what is not there. */
export function healthPages(missing: () => Promise<readonly string[]>): readonly Page[] {
  const live = jsonAnswer(200, { status: "live" });
  return [
    { path: LIVE, answer: () => live },
    {
      path: READY,
      async answer() {
        const names = await missing();
        return names.length === 0
          ? jsonAnswer(200, { status: "ready", time_zones: timeZones().version })
          : jsonAnswer(503, { status: "not ready", missing: names }, { "retry-after": "1" });
      },
    },
  ];
}
