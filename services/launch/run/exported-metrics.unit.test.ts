import { expect, test } from "@jest/globals";
import { metricsRegistry } from "../../../mixins/observability/metrics.ts";
import { OWN_METRICS, SHARED_METRICS } from "../../../test/fixtures/exported-metrics.ts";
import { exportFollowMetrics } from "../../calendar-events/follow/follow.metrics.ts";
import { SERVICES } from "../../contracts/service-names.ts";
import { exportDispatchMetrics } from "../../dispatch/dispatch.metrics.ts";
import { exportWebhookMetrics } from "../../webhooks/webhooks.metrics.ts";
import "../../announcements/announcements.service.ts";
import "../../api/api.service.ts";
import "../../calendar-events/calendar-events.service.ts";
import "../../dispatch/dispatch.service.ts";
import "../../guild-settings/guild-settings.service.ts";
import "../../webhooks/webhooks.service.ts";
import "./probe-middlewares.ts";

const EXPORTS = [
  ["webhooks", exportWebhookMetrics],
  ["dispatch", exportDispatchMetrics],
  ["calendar-events", exportFollowMetrics],
] as const;

async function exportedNames(): Promise<string[]> {
  const names = (await metricsRegistry.getMetricsAsJSON()).map(({ name }) => name);
  return names.filter((name) => name.startsWith("guildcal_")).toSorted();
}

test("a process exports no metric of a service that it does not run, not even as 0", async () => {
  await expect(exportedNames()).resolves.toEqual(SHARED_METRICS);
});

test.each(EXPORTS)("a process with %s also exports the metrics of this service", async (service, exportMetrics) => {
  const before = new Set(await exportedNames());
  exportMetrics();
  exportMetrics();
  expect((await exportedNames()).filter((name) => !before.has(name))).toEqual(OWN_METRICS[service]);
});

test("the other services have no metrics of their own", () => {
  const services = SERVICES.filter((service) => OWN_METRICS[service].length > 0);
  expect(services).toEqual(EXPORTS.map(([service]) => service));
});
