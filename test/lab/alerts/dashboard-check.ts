import { DASHBOARD_QUERIES } from "../../manifests/dashboard.ts";
import { EXPORTERS } from "../../manifests/exporters.ts";
import { selectorsOf } from "../../manifests/promql.ts";
import { NAMESPACE, type Prometheus } from "./prometheus.ts";

/** Shows that each query of the dashboard has a result in some state of a running installation. */
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

/** Their exporters are not installed here. */
const OF_OTHERS = new Set(
  Object.entries(EXPORTERS).flatMap(([exporter, { metrics }]) =>
    exporter === "Prometheus itself" ? [] : Object.keys(metrics),
  ),
);

export function newDashboardCheck(prometheus: Pick<Prometheus, "hasResult">): DashboardCheck {
  const queries = DASHBOARD_QUERIES.filter(
    ([, query]) => !selectorsOf(query).some(({ metric }) => OF_OTHERS.has(metric)),
  );
  const open = new Set(queries);
  return {
    queries: queries.length,
    withoutResult: () => [...open],
    async look() {
      for (const each of open) if (await prometheus.hasResult(asShown(each[1]))) open.delete(each);
    },
  };
}

/** With the variables of Grafana replaced. */
function asShown(query: string): string {
  return query.replaceAll("$namespace", NAMESPACE).replaceAll("$__range", "30m");
}
