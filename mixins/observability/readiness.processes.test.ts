import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { type EmbeddedNats, startNats } from "../../services/launch/embedded/embedded-nats.ts";
import { until } from "../../test/harness/until.ts";
import { timeZones } from "../time-zones/time-zones.ts";
import { probes } from "./probes.middleware.ts";

let nats: EmbeddedNats;
let broker: ServiceBroker;
let url: string;
let metricsUrl: string;

beforeEach(async () => {
  nats = await startNats();
  const onListening = (port: number) => {
    url = `http://127.0.0.1:${port}/health/ready`;
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
  };
  broker = new ServiceBroker({
    ...brokerOptions({ nodeId: "guild-settings.readiness", natsUrl: nats.url, logLevel: "fatal" }),
    middlewares: [probes({ port: 0, host: "127.0.0.1", onListening })],
  });
  await broker.start();
});
afterEach(async () => {
  await broker.stop();
  await nats.stop();
});

const readiness = async () => (await fetch(url)).json();
const isReady = async () => ((await readiness()) as { status: string }).status === "ready";

test("a process is not ready while NATS is down, and ready again when it is back", async () => {
  expect(await readiness()).toEqual({ status: "ready", time_zones: timeZones().version });
  await nats.kill("SIGKILL");
  await until(async () => !(await isReady()), "not ready");
  expect(await readiness()).toEqual({ status: "not ready", missing: ["bus"] });
  nats = await startNats(nats.port);
  await until(isReady, "ready again");
});

test("the metrics of a process show without a request that NATS is down, and that it is back", async () => {
  const lines = async () => (await (await fetch(metricsUrl)).text()).split("\n");
  const shows = (line: string) => async () => (await lines()).includes(line);
  await until(shows("guildcal_bus_up 1"), "the bus is there");
  await nats.kill("SIGKILL");
  await until(shows("guildcal_bus_up 0"), "the bus is out of reach");
  nats = await startNats(nats.port);
  await until(shows("guildcal_bus_up 1"), "the bus is back");
  expect(await lines()).not.toContain("guildcal_bus_up 0");
});
