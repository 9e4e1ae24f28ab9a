import type { Guard } from "./guard.ts";

const figures = { testFile: "services/dispatch/dispatch.metrics.unit.test.ts" };
const secrets = { file: "k8s/rotate-secret.ts", testFile: "test/manifests/secrets.unit.test.ts" };

/** Figures that show an outage, and secrets that are rotated without harm. */
export const OBSERVABILITY_GUARDS: readonly Guard[] = [
  {
    guard: "database and bus are asked at each scrape",
    file: "mixins/observability/probes.middleware.ts",
    text: "await measureReach(broker);",
    without: "",
    testFile: "mixins/observability/probes.int.test.ts",
    test: "show at each scrape whether the database can be reached",
    onRealParts: true,
  },
  {
    ...figures,
    guard: "the plan's lag counts from the start while nothing is known of a feed",
    file: "services/dispatch/dispatch.metrics.ts",
    text: "plannedThrough ?? startedAt",
    without: "plannedThrough ?? now",
    test: "counts from the process's start while nothing is known of a feed",
  },
  {
    guard: "the plan's lag counts from the stored mark before the first complete reading",
    file: "services/dispatch/protocol/follower.ts",
    text: "Math.max(confirmedAt, mark?.at ?? 0)",
    without: "confirmedAt",
    testFile: "services/dispatch/protocol/follower.unit.test.ts",
    test: "as not known before a mark is read, and then as the mark until a reading is complete",
  },
  {
    guard: "a process that does not run dispatch exports none of its figures",
    file: "services/dispatch/dispatch.metrics.ts",
    text: "const registers: [] = [];",
    without: "const registers = [metricsRegistry];",
    testFile: "services/launch/metrics-of-a-process.unit.test.ts",
    test: "exports none of its figures",
  },
  {
    ...secrets,
    guard: "a rotation drops what kubectl apply has left in an annotation",
    text: "{ [APPLIED]: _, ...annotations }",
    without: "{ ...annotations }",
    test: "drops what kubectl apply has left in an annotation",
  },
  {
    ...secrets,
    guard: "the administrator's former password is kept for the set-up",
    text: '{ adminBefore: passwords["admin"] }',
    without: "{}",
    test: "keeps the one before, by which the set-up gets in to change it",
  },
  {
    guard: "make-secrets names no namespace",
    file: "k8s/make-secrets.ts",
    text: "metadata: { name, labels:",
    without: 'metadata: { name, namespace: "guildcal", labels:',
    testFile: "test/manifests/secrets.unit.test.ts",
    test: "writes into no namespace of its own",
  },
];
