import { Gauge } from "prom-client";
import { timeZones } from "../time-zones/time-zones.ts";
import { metricsRegistry } from "./metrics.ts";

const published = new Gauge({
  name: "guildcal_time_zones_published_timestamp_seconds",
  help: "Publication time of the time zone rules that the process uses, by release and source",
  labelNames: ["version", "source"],
  registers: [metricsRegistry],
});

/** Sets the metric of the time zone release; once, because the process chooses its rules before it starts services. */
export function setTimeZoneMetric(): void {
  const { version, source, publishedAt } = timeZones();
  published.set({ version, source }, Math.floor(publishedAt / 1000));
}
