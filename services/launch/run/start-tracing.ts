import type { Middleware } from "moleculer";
import { pino } from "pino";
import { RateLimitedLog } from "../../../mixins/observability/rate-limited-log.ts";
import { setTracer } from "../../../mixins/observability/tracer.ts";
import { tracing } from "../../../mixins/observability/tracing.middleware.ts";
import { lineFormat } from "../../../moleculer.config.ts";
import { VERSION } from "../../contracts/version.ts";
import type { Settings } from "./service-factories.ts";

/** The traces of this process, if they are enabled. */
export interface RunningTraces {
  readonly middlewares: readonly Middleware[];
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

const OFF: RunningTraces = { middlewares: [], stop: async () => undefined };

type TracingSettings = Pick<
  Settings,
  "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_EXPORTER_OTLP_HEADERS" | "OTEL_TRACES_SAMPLER_ARG" | "LOG_LEVEL"
>;

/**
 * Enables traces before the services start. Without a collector, OpenTelemetry's SDK is not loaded.
 *
 * @param service - The name of the service, or `all`.
 */
export async function startTracing(settings: TracingSettings, service: string, nodeId: string): Promise<RunningTraces> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  if (endpoint === undefined) return OFF;
  const { startOpenTelemetry } = await import("../../../mixins/observability/opentelemetry.ts");
  const logger = pino(lineFormat(settings.LOG_LEVEL));
  const log = new RateLimitedLog((fields, text) => logger.warn(fields, text));
  const tracer = startOpenTelemetry({
    endpoint,
    headers: headersIn(headers),
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    service: `guildcal-${service}`,
    nodeId,
    version: VERSION,
    onProblem: (problem) => log.note("traces", { problem }, "traces could not be sent"),
  });
  setTracer(tracer);
  return {
    middlewares: [tracing(tracer)],
    async stop() {
      setTracer(undefined);
      await tracer.stop();
      log.flush();
    },
  };
}

function headersIn(pairs = ""): Record<string, string> {
  const given = pairs.split(",").filter(Boolean);
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
    }),
  );
}
