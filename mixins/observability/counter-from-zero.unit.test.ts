import { expect, test } from "@jest/globals";
import { newCounterFromZero } from "./counter-from-zero.ts";

test("a counter has zeros for the first minute of the process, and then every count", async () => {
  let uptime = 2;
  const config = { name: "posts_total", help: "Posts", labelNames: ["state"] as const };
  const zeros = [{ state: "sent" }, { state: "missed" }];
  const counter = newCounterFromZero(config, zeros, () => uptime);
  const exported = async () => (await counter.metric.get()).values.map(({ labels, value }) => [labels.state, value]);
  for (const state of ["missed", "missed", "sent"]) counter.inc({ state });
  uptime = 59;
  expect(await exported()).toEqual([
    ["sent", 0],
    ["missed", 0],
  ]);
  uptime = 60;
  counter.inc({ state: "sent" });
  expect(await exported()).toEqual([
    ["sent", 2],
    ["missed", 2],
  ]);
  expect(await exported()).toEqual([
    ["sent", 2],
    ["missed", 2],
  ]);
});
