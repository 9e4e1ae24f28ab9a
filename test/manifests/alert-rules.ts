import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { K8S } from "./overlays.ts";

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Recording {
  readonly record: string;
  readonly expr: string;
}

export type Rule = Alert | Recording;

/** The rules of a manifest, in the format of Prometheus without the operator. */
export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** The commands of promtool for a file of rules. */
export interface RuleTests {
  readonly rule_files: readonly string[];
  readonly tests: readonly {
    readonly name: string;
    readonly promql_expr_test: readonly {
      readonly expr: string;
      readonly exp_samples: readonly { labels: string }[];
    }[];
  }[];
}

const FOLDER = join(K8S, "components/monitoring/alerts");
const FILES = readdirSync(FOLDER).toSorted();
const isTests = (name: string) => name.endsWith(".test.yaml");
const read = (name: string): unknown => parse(readFileSync(join(FOLDER, name), "utf8"));

/** Files of rules by name. */
export const RULE_FILES: ReadonlyMap<string, RuleFile> = new Map(
  FILES.filter((name) => !isTests(name)).map((name) => [basename(name), (read(name) as { spec: RuleFile }).spec]),
);

/** Files of promtool's tests by name. */
export const TEST_FILES: ReadonlyMap<string, RuleTests> = new Map(
  FILES.filter(isTests).map((name) => [name, read(name) as RuleTests]),
);

export const isAlert = (rule: Rule): rule is Alert => "alert" in rule;

export const RULES: readonly Rule[] = RULE_FILES.values()
  .flatMap(({ groups }) => groups.flatMap(({ rules }) => rules))
  .toArray();

export const ALERTS: readonly Alert[] = RULES.filter(isAlert);

/** The alert of a test's query. */
export function alertIn(expr: string): string {
  return /^ALERTS\{alertname="([A-Za-z]+)", alertstate="firing"\}$/.exec(expr)?.[1] ?? "";
}
