import type { TestedGuard } from "./guard.ts";

const figures = { testFile: "services/dispatch/dispatch.metrics.unit.test.ts" };
const secrets = { file: "k8s/rotate-secret.ts", testFile: "test/manifests/secrets.unit.test.ts" };

/** Figures that show an outage, and secrets that are rotated without harm. */
export const OBSERVABILITY_GUARDS: readonly TestedGuard[] = [
  {
    guard: "database and bus are asked at each scrape",
    file: "mixins/observability/probes.middleware.ts",
    in: "metrics",
    code: "await measureReach($_);",
    without: "",
    testFile: "mixins/observability/probes.int.test.ts",
    test: "show at each scrape whether the database can be reached",
    onRealParts: true,
  },
  {
    ...figures,
    guard: "the plan's lag counts from the start while nothing is known of a feed",
    file: "services/dispatch/dispatch.metrics.ts",
    in: "planLagSeconds",
    code: "$KNOWN ?? $_",
    without: "$KNOWN ?? arguments[2]",
    test: "counts from the process's start while nothing is known of a feed",
  },
  {
    guard: "the plan's lag counts from the stored mark before the first complete reading",
    file: "services/dispatch/protocol/follower.ts",
    in: "newReading",
    code: "Math.max($CONFIRMED, $_ ?? 0) || undefined",
    without: "$CONFIRMED || undefined",
    testFile: "services/dispatch/protocol/follower.unit.test.ts",
    test: "as not known before a mark is read, and then as the mark until a reading is complete",
  },
  {
    guard: "a process that does not run dispatch exports none of its figures",
    file: "services/dispatch/dispatch.metrics.ts",
    code: "const registers: [] = [];",
    without: "const registers = [metricsRegistry];",
    testFile: "services/launch/metrics-of-a-process.unit.test.ts",
    test: "exports none of its figures",
  },
  {
    ...secrets,
    guard: "a rotation drops what kubectl apply has left in an annotation",
    in: "withValues",
    code: "const { [APPLIED]: $_, ...$OTHERS } = $ALL;",
    without: "const { ...$OTHERS } = $ALL;",
    test: "drops what kubectl apply has left in an annotation",
  },
  {
    ...secrets,
    guard: "the administrator's former password is kept for the set-up",
    in: "database",
    property: "adminBefore: $_",
    without: "",
    test: "keeps the one before, by which the set-up gets in to change it",
  },
  {
    guard: "make-secrets names no namespace",
    file: "k8s/make-secrets.ts",
    in: "asManifest",
    property: "labels: $LABELS",
    without: 'namespace: "guildcal", labels: $LABELS',
    testFile: "test/manifests/secrets.unit.test.ts",
    test: "writes into no namespace of its own",
  },
];
