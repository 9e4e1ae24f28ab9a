import { readFileSync } from "node:fs";
import { join } from "node:path";
import { K8S } from "./overlays.ts";

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const text = readFileSync(join(K8S, "components/monitoring/dashboard.json"), "utf8");

/** The rows and panels of the dashboard, in order. */
export const PANELS = (JSON.parse(text) as { readonly panels: readonly Panel[] }).panels;

/** Each query of the dashboard, with its panel's title. */
export const DASHBOARD_QUERIES = PANELS.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);
