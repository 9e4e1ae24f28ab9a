import type { Middleware } from "moleculer";
import { callMetrics } from "../../../mixins/observability/call-metrics.middleware.ts";
import { probes } from "../../../mixins/observability/probes.middleware.ts";
import type { Settings } from "./service-factories.ts";

/** The middlewares of the probe port and its metrics; none without a port. */
export function probeMiddlewares(
  { PROBE_PORT: port, HOST: host }: Pick<Settings, "PROBE_PORT" | "HOST">,
  alsoMissing: () => readonly string[] = () => [],
): Middleware[] {
  return port === 0 ? [] : [callMetrics, probes({ port, host, alsoMissing })];
}
