import { Gauge } from "prom-client";
import { timeZones } from "../time-zones/time-zones.ts";
import { metricsRegistry } from "./metrics.ts";

const published = new Gauge({
  name: "guildcal_time_zones_published_timestamp_seconds",
  help: "When the rules of time zones came out that the process uses, by their release and where they are from",
  labelNames: ["version", "source"],
  registers: [metricsRegistry],
});

/** Shows which release of the time zones the process uses; done at each scrape. */
export function updateTimeZoneMetric(): void {
  const { version, source, publishedAt } = timeZones();
  published.reset();
  published.set({ version, source }, Math.floor(publishedAt / 1000));
}
