import { expect, test } from "@jest/globals";
import { metricsRegistry } from "../../../mixins/observability/metrics.ts";
import { exportDispatchMetrics } from "../../dispatch/dispatch.metrics.ts";
import "../../dispatch/dispatch.service.ts";

const names = async () => (await metricsRegistry.getMetricsAsJSON()).map(({ name }) => name);
const ofDispatch = (name: string) => /^guildcal_(?:posts?|plan|changes|sinks?|dispatch)_/.test(name);

test("a process without dispatch exports no metric of dispatch, not even as 0", async () => {
  expect((await names()).filter(ofDispatch)).toEqual([]);
  exportDispatchMetrics();
  exportDispatchMetrics();
  expect((await names()).filter(ofDispatch)).toHaveLength(12);
});
