import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import type { HorizontalPodAutoscaler } from "kubernetes-types/autoscaling/v2.d.ts";
import { until } from "../harness/until.ts";
import { matches, ofKind, rendered, workloads } from "./overlays.ts";

const production = workloads(rendered("production"));
const SIGTERM_BIT = 1n << 14n;

describe("in production", () => {
  test.each(production.filter(({ labels }) => labels["app.kubernetes.io/component"] === "service"))(
    "replicas of $name are on different nodes and in different zones, and start in the other zones if one is lost",
    ({ pod, labels }) => {
      const constraints = pod.topologySpreadConstraints ?? [];
      expect(constraints.map(({ topologyKey }) => topologyKey)).toEqual([
        "kubernetes.io/hostname",
        "topology.kubernetes.io/zone",
      ]);
      for (const each of constraints) {
        expect(each).toMatchObject({ maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", nodeTaintsPolicy: "Honor" });
        expect(matches(each.labelSelector?.matchLabels ?? {}, labels)).toBe(true);
        // Each revision of each service is spread separately.
        expect(each.matchLabelKeys).toEqual(["app.kubernetes.io/name", "pod-template-hash"]);
      }
    },
  );

  test.each(["mongodb", "nats"])("no two of three members of %s are in one zone", (name) => {
    const { pod, labels } = production.find((each) => each.name === name)!;
    const required = { maxSkew: 1, minDomains: 3, whenUnsatisfiable: "DoNotSchedule" };
    expect(pod.topologySpreadConstraints).toMatchObject([
      { ...required, topologyKey: "kubernetes.io/hostname" },
      { ...required, topologyKey: "topology.kubernetes.io/zone" },
    ]);
    for (const each of pod.topologySpreadConstraints ?? []) {
      expect(matches(each.labelSelector?.matchLabels ?? {}, labels)).toBe(true);
    }
  });

  test("the gateway and the owners are scaled by their processor time, from two replicas", () => {
    const scalers = ofKind<HorizontalPodAutoscaler>(rendered("production"), "HorizontalPodAutoscaler");
    expect(scalers.map(({ spec }) => [spec?.scaleTargetRef.name, spec?.minReplicas])).toEqual([
      ["api", 2],
      ["calendar-events", 2],
      ["announcements", 2],
      ["guild-settings", 2],
    ]);
  });
});

test("the container that sets up MongoDB handles SIGTERM, without which its pod would end after two minutes", async () => {
  const mongodb = production.find(({ name }) => name === "mongodb")!;
  const { command = [], args = [] } = mongodb.containers.find(({ name }) => name === "set-up")!;
  const [shell = "", ...options] = [...command, ...args];
  // Kubernetes sends the signal to the first process of the container, which gets it only if it handles it.
  const first = spawn(shell, options, { env: { ...process.env, POD_NAME: "mongodb-1" }, detached: true });
  try {
    const exited = once(first, "exit");
    await until(() => handlesSigterm(first.pid!), "the shell handles the signal");
    first.kill("SIGTERM");
    await expect(exited).resolves.toEqual([0, null]);
  } finally {
    // The shell's `sleep` is in its group.
    process.kill(-first.pid!, "SIGKILL");
  }
});

function handlesSigterm(pid: number): boolean {
  const [, mask = "0"] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (BigInt(`0x${mask}`) & SIGTERM_BIT) !== 0n;
}
