import { DASHBOARD_QUERIES } from "../../manifests/dashboard.ts";
import { EXPORTERS } from "../../manifests/exporters.ts";
import { selectorsOf } from "../../manifests/promql.ts";
import { queriesOfTable, type RunningExporter } from "./exporters.ts";
import { NAMESPACE } from "./namespace.ts";
import type { Prometheus } from "./prometheus.ts";

/**
 * Shows that each query of the dashboard has a result in some state of a running installation, and so has each metric of an
 * exporter that the rules or the dashboard use, with its labels.
 */
export interface DashboardCheck {
  /**
   * Makes each query that had no result yet.
   *
   * @throws Error if Prometheus refuses one of them.
   */
  look(): Promise<void>;
  /** The titles and queries that had no result yet. */
  withoutResult(): readonly (readonly [title: string, query: string])[];
  readonly queries: number;
}

export function newDashboardCheck(
  prometheus: Pick<Prometheus, "hasResult">,
  exporters: readonly Pick<RunningExporter, "image">[],
): DashboardCheck {
  const missing = metricsOfOthers(exporters.map(({ image }) => image));
  const queries = [
    ...DASHBOARD_QUERIES.filter(([, query]) => !selectorsOf(query).some(({ metric }) => missing.has(metric))),
    ...queriesOfTable(exporters).map((query) => ["metric of an exporter", query] as const),
  ];
  const open = new Set(queries);
  return {
    queries: queries.length,
    withoutResult: () => [...open],
    async look() {
      for (const each of open) if (await prometheus.hasResult(asShown(each[1]))) open.delete(each);
    },
  };
}

/** The metrics of the exporters that do not run here. */
function metricsOfOthers(running: readonly string[]): ReadonlySet<string> {
  const others = Object.entries(EXPORTERS).filter(([name]) => name !== "Prometheus itself" && !running.includes(name));
  return new Set(others.flatMap(([, { metrics }]) => Object.keys(metrics)));
}

/** With the variables of Grafana replaced. */
function asShown(query: string): string {
  return query.replaceAll("$namespace", NAMESPACE).replaceAll("$__range", "30m");
}
