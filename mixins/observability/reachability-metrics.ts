import type { ServiceBroker } from "moleculer";
import { Gauge } from "prom-client";
import { natsTransporterOf } from "../bus/nats-transporter.ts";
import { pingServiceDatabase } from "../mongo/database.mixin.ts";
import { metricsRegistry } from "./metrics.ts";

const databaseUp = new Gauge({
  name: "guildcal_database_up",
  help: "1 if the database responded to the service within half a second, at this scrape; otherwise 0",
  labelNames: ["service"],
  registers: [metricsRegistry],
});

/** Registered at the first use, so a process without a bus does not export it. */
const busUp = new Gauge({
  name: "guildcal_bus_up",
  help: "1 if the process is connected to the bus, at this scrape; otherwise 0",
  registers: [],
});

/**
 * Updates the metrics of the databases of this process's services, and of the bus. It runs at each scrape: an outage
 * is visible without any request, and no value is older than the scrape.
 */
export async function updateReachabilityMetrics(broker: ServiceBroker): Promise<void> {
  const bus = natsTransporterOf(broker);
  if (bus !== undefined) {
    if (metricsRegistry.getSingleMetric("guildcal_bus_up") === undefined) metricsRegistry.registerMetric(busUp);
    busUp.set(bus.isUp ? 1 : 0);
  }
  await Promise.all(
    broker.services.map(async (service) => {
      const isUp = await pingServiceDatabase(service);
      if (isUp !== undefined) databaseUp.set({ service: service.name }, isUp ? 1 : 0);
    }),
  );
}
