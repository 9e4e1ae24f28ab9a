import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { alertIn, ALERTS, isAlert, type Rule, RULE_FILES, TEST_FILES } from "./alert-rules.ts";
import { DASHBOARD_QUERIES } from "./dashboard.ts";
import { K8S } from "./overlays.ts";
import { findProgram } from "./program.ts";

/** The queries of the tests, by alert. */
const checks = TEST_FILES.values()
  .flatMap(({ tests }) => tests.flatMap((each) => each.promql_expr_test))
  .map(({ expr, exp_samples: samples }) => ({ expr, alert: alertIn(expr), samples }))
  .toArray();
const ofAlert = (name: string) => checks.filter(({ alert }) => alert === name);
const names = ALERTS.map(({ alert }) => alert);

describe("each alert", () => {
  test.each(names)("%s has a test in which it fires and one in which it does not", (name) => {
    expect(ofAlert(name).filter(({ samples }) => samples.length > 0).length).toBeGreaterThan(0);
    expect(ofAlert(name).filter(({ samples }) => samples.length === 0).length).toBeGreaterThan(0);
  });

  test.each(ALERTS.map((each) => [each.alert, each] as const))(
    "%s has only labels in its text that it has",
    (name, { annotations }) => {
      const texts = Object.values(annotations).join(" ");
      const spoken = [...texts.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      const samples = ofAlert(name).flatMap((each) => each.samples);
      for (const { labels } of samples) {
        expect([...labels.matchAll(/(\w+)="/g)].map(([, label]) => label)).toEqual(expect.arrayContaining(spoken));
      }
    },
  );

  test.each(ALERTS.map((each) => [each.alert, each] as const))(
    "%s links to a section of the runbook with its meaning, checks and actions",
    (name, { annotations }) => {
      const anchor = new URL(annotations["runbook_url"] ?? "").hash.slice(1);
      expect(annotations["runbook_url"]).toMatch(/\/k8s\/RUNBOOK\.md#/);
      expect(anchor).toBe(name.toLowerCase());
      const section = sectionsOfTheRunbook().get(name) ?? "";
      expect(section).toMatch(/^- \*\*Meaning\.\*\*(?: |\n  )\S/m);
      expect(section).toMatch(/^- \*\*Check\.\*\*(?: |\n  )\S/m);
      expect(section).toMatch(/^- \*\*Action\.\*\*(?: |\n  )\S/m);
    },
  );

  test("is in the runbook, which explains no other", () => {
    expect([...sectionsOfTheRunbook().keys()].toSorted()).toEqual(names.toSorted());
    expect(new Set(names).size).toBe(names.length);
  });

  test("is tested by a query in the common form", () => {
    expect(checks.filter(({ alert }) => !names.includes(alert))).toEqual([]);
    expect(checks.length).toBeGreaterThan(100);
  });
});

// promtool is no dependency of this project; it is in Debian's package prometheus.
const promtool = findProgram("promtool", "PROMTOOL");
const wherePromtoolIs = promtool === undefined ? describe.skip : describe;
const why = promtool === undefined ? ", which is neither on the PATH nor in PROMTOOL," : "";

wherePromtoolIs(`with promtool${why}`, () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "guildcal-rules-"));
    for (const [name, tests] of TEST_FILES) writeFileSync(join(folder, name), stringify(tests));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Writes the rules after `change`; a rule for which it returns undefined is omitted. */
  function write(change: (rule: Rule) => Rule | undefined): void {
    for (const [name, { groups }] of RULE_FILES) {
      const changed = groups.map((group) =>
        Object.assign({}, group, { rules: group.rules.map(change).filter((rule) => rule !== undefined) }),
      );
      writeFileSync(join(folder, name), stringify({ groups: changed }));
    }
  }

  /** The output of promtool. */
  function run(command: "check" | "test", files: Iterable<string>): { passed: boolean; output: string } {
    try {
      const args = [command, "rules", ...files];
      return {
        passed: true,
        output: execFileSync(promtool ?? "", args, { cwd: folder, encoding: "utf8", stdio: "pipe" }),
      };
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return { passed: false, output: stdout + stderr };
    }
  }

  /** The alerts whose tests failed. */
  function failed(file: string): string[] {
    const { output } = run("test", [file]);
    const alerts = [...output.matchAll(/ALERTS\{alertname=\\?"(\w+)\\?", alertstate=\\?"firing\\?"\}\\?", time/g)];
    return [...new Set(alerts.map(([, name = ""]) => name))].toSorted();
  }

  test("the rules are valid for Prometheus", () => {
    write((rule) => rule);
    expect(run("check", RULE_FILES.keys())).toMatchObject({ passed: true });
  });

  test("the dashboard's queries are valid for Prometheus, and an invalid one is found", () => {
    const check = (queries: readonly string[]) => {
      const rules = queries.map((query, at) => ({ record: `query:${at}`, expr: withVariables(query) }));
      writeFileSync(join(folder, "dashboard.yaml"), stringify({ groups: [{ name: "dashboard", rules }] }));
      return run("check", ["dashboard.yaml"]).passed;
    };
    const all = DASHBOARD_QUERIES.map(([, query]) => query);
    expect(check(all)).toBe(true);
    expect(check([...all, "sum by (app (up)"])).toBe(false);
  });

  test.each([...TEST_FILES.keys()])("%s passes", (file) => {
    write((rule) => rule);
    expect(run("test", [file])).toMatchObject({ passed: true });
  });

  test.each([...TEST_FILES.keys()])("%s fails for each of its firing alerts without the alert's rule", (file) => {
    write(() => undefined);
    expect(failed(file)).toEqual(alertsIn(file, (samples) => samples > 0));
  });

  test.each([...TEST_FILES.keys()])("%s fails for each of its inactive alerts if all alerts always fire", (file) => {
    write((rule) => (isAlert(rule) ? { ...rule, expr: "vector(1)", for: "0m" } : undefined));
    expect(failed(file)).toEqual(expect.arrayContaining(alertsIn(file, (samples) => samples === 0)));
  });
});

function alertsIn(file: string, isMeant: (samples: number) => boolean): string[] {
  const all = TEST_FILES.get(file)?.tests.flatMap((each) => each.promql_expr_test) ?? [];
  const meant = all.filter(({ exp_samples: samples }) => isMeant(samples.length));
  return [...new Set(meant.map(({ expr }) => alertIn(expr)))].toSorted();
}

/** Replaces Grafana's variables by values. */
function withVariables(query: string): string {
  return query.replaceAll("$namespace", ".*").replaceAll("$__range", "1h");
}

/** The texts of the sections, by title. */
function sectionsOfTheRunbook(): Map<string, string> {
  const [, ...sections] = readFileSync(join(K8S, "RUNBOOK.md"), "utf8").split(/^### /m);
  return new Map(sections.map((text) => [text.slice(0, text.indexOf("\n")), text]));
}
