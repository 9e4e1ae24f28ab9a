import type { TestedGuard } from "./guard.ts";

const figures = { testFile: "services/dispatch/dispatch.metrics.unit.test.ts" };
const traces = { testFile: "test/processes/traces.processes.test.ts", needsServers: true } as const;
const secrets = { file: "k8s/rotate-secret.ts", testFile: "test/manifests/secrets.unit.test.ts" };

/** Guards of metrics, traces and logs, and of the rotation of secrets. */
export const OBSERVABILITY_GUARDS: readonly TestedGuard[] = [
  {
    ...traces,
    guard: "without a collector the OpenTelemetry SDK is not loaded",
    file: "services/launch/run/start-tracing.ts",
    code: "return OFF;",
    without: 'return import("@opentelemetry/sdk-trace").then(() => OFF);',
    test: "the OpenTelemetry SDK is not loaded, and",
  },
  {
    ...traces,
    guard: "a call over the bus is in the request's trace",
    file: "mixins/observability/tracing.middleware.ts",
    code: "$_.traceparent = $_.traceparent;",
    without: "",
    test: "a request is one trace from its client's span",
  },
  {
    ...traces,
    guard: "a post links to the request that caused it",
    file: "services/dispatch/sinks/sink-tracing.ts",
    code: "$_ === undefined ? [] : [$_]",
    without: "[]",
    test: "the post's span links to the requests that caused it",
  },
  {
    ...traces,
    guard: "work outside a request has no trace",
    file: "mixins/observability/tracing.middleware.ts",
    code: "if ($_ === undefined) return $_.call(this, $_);",
    without: "",
    test: "work outside a request has no trace",
  },
  {
    guard: "settings are read without the stored origin, whose date cannot be encoded in a packet",
    file: "services/guild-settings/guild-settings.store.ts",
    in: "READ_PROJECTION",
    code: "{ changedAt: 0, writes: 0, changedBy: 0 }",
    without: "{ changedAt: 0, writes: 0 }",
    testFile: "services/guild-settings/guild-settings.int.test.ts",
    test: "settings that a request has changed are read without the stored origin of the change",
    needsServers: true,
  },
  {
    guard: "the log line of a write contains only ids",
    file: "mixins/actions/contract-action.ts",
    code: "{ keyId: $KEY, ...$RECORD, $$$REST }",
    without: "{ keyId: $KEY, ...arguments[1], ...$RECORD, $$$REST }",
    testFile: "mixins/actions/contract-action.contract.test.ts",
    test: "logs one line for a write: who changed which record for which request, and no text",
  },
  {
    guard: "database and bus are checked at each scrape",
    file: "mixins/observability/probes.middleware.ts",
    in: "metrics",
    code: "await updateReachabilityMetrics($_);",
    without: "",
    testFile: "mixins/observability/probes.int.test.ts",
    test: "show at each scrape whether the database is reachable, without a request",
    needsServers: true,
  },
  {
    ...figures,
    guard: "the plan's lag counts from the process's start while a feed was never read",
    file: "services/dispatch/dispatch.metrics.ts",
    in: "planLagSeconds",
    code: "$KNOWN ?? $_",
    without: "$KNOWN ?? arguments[2]",
    test: "counts from the process's start while a feed was never read",
  },
  {
    guard: "the plan's lag counts from the stored mark before the first complete read",
    file: "services/dispatch/protocol/planning/change-feed-consumer.ts",
    in: "newFeedReader",
    code: "Math.max($CONFIRMED, $_ ?? 0) || undefined",
    without: "$CONFIRMED || undefined",
    testFile: "services/dispatch/protocol/planning/change-feed-consumer.unit.test.ts",
    test: "as unknown before the mark is read, and as the mark until a read is complete",
  },
  ...(
    [
      ["dispatch", "services/dispatch/dispatch.metrics.ts"],
      ["webhooks", "services/webhooks/webhooks.metrics.ts"],
      ["calendar-events", "services/calendar-events/follow/follow.metrics.ts"],
    ] as const
  ).map(([service, file]) => ({
    guard: `a process without ${service} exports none of its metrics`,
    file,
    code: "const registers: [] = [];",
    without: "const registers = [metricsRegistry];",
    testFile: "services/launch/run/exported-metrics.unit.test.ts",
    test: "a process exports no metric of a service that it does not run, not even as 0",
  })),
  {
    ...secrets,
    guard: "a rotation removes the old secret from kubectl's last-applied annotation",
    in: "withValues",
    code: "const { [APPLIED]: $_, ...$OTHERS } = $ALL;",
    without: "const { ...$OTHERS } = $ALL;",
    test: "removes kubectl's last-applied annotation",
  },
  {
    ...secrets,
    guard: "a rotation keeps the administrator's former password for the set-up job",
    in: "database",
    property: "adminBefore: $_",
    without: "",
    test: "keeps the former one, with which the set-up job changes it",
  },
  {
    guard: "make-secrets writes no namespace",
    file: "k8s/make-secrets.ts",
    in: "asManifest",
    property: "labels: $LABELS",
    without: 'namespace: "guildcal", labels: $LABELS',
    testFile: "test/manifests/secrets.unit.test.ts",
    test: "writes no namespace and no annotations",
  },
];
