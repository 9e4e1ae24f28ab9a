import { globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PROJECT } from "../harness/guildcal-process.ts";

const MAX_LINES = 300;

/** Files that may be longer, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "CHANGELOG.md": "one list of releases, as Keep a Changelog has it",
  "clients/contracts/src/contract-types.ts": "generated from services/contracts",
  "clients/http/src/api-types.ts": "generated from the API document",
  "clients/http/src/operations.ts": "generated from the API document",
  "docs/api.md": "tables and examples that are generated from the route table",
  "docs/decisions.md": "one list in the order of its numbers, which the code cites",
  "docs/nats-reference.md": "tables and types that are generated from the contracts",
  "k8s/RUNBOOK.md": "a section for each alert, which links to it",
  "k8s/components/monitoring/dashboard.json": "one document, which Grafana reads as a whole",
  "k8s/components/nats/users.conf": "generated from the contracts",
  "package-lock.json": "written by npm",
  "services/api/openapi/openapi.json": "generated from the route table",
  "services/dispatch/domain/message/golden-languages.md": "a sample of every language, as a test renders it",
  "services/dispatch/domain/message/golden-messages.md": "every variant of a message, as a test renders it",
  "services/dispatch/domain/message/words/cldr-formats.ts": "generated from CLDR",
  "test/lab/bench/baselines/package-lock.json": "written by npm",
};

const EXTENSIONS = new Set([".conf", ".env", ".html", ".js", ".json", ".md", ".sh", ".ts", ".yaml", ".yml"]);

interface TextFile {
  readonly path: string;
  readonly lines: number;
}

function textFiles(): TextFile[] {
  const paths = [
    ...globSync("{.ci,clients,docs,examples,k8s,mixins,services,test}/**/*", {
      cwd: PROJECT,
      exclude: ["**/node_modules/**"],
    }),
    ...globSync("*", { cwd: PROJECT }),
  ];
  return paths
    .filter((path) => EXTENSIONS.has(extname(path)) || path === "Dockerfile")
    .map((path) => ({ path, lines: readFileSync(join(PROJECT, path), "utf8").split("\n").length - 1 }));
}

function tooLong(files: readonly TextFile[]): TextFile[] {
  return files.filter(({ path, lines }) => lines > MAX_LINES && EXCEPTIONS[path] === undefined);
}

describe("the length of a file", () => {
  const files = textFiles();

  test(`is at most ${MAX_LINES} lines`, () => {
    expect(files.length).toBeGreaterThan(700);
    expect(tooLong(files)).toEqual([]);
  });

  test("is refused if it is one line longer", () => {
    expect(tooLong([{ path: "services/new.ts", lines: MAX_LINES }])).toEqual([]);
    expect(tooLong([{ path: "services/new.ts", lines: MAX_LINES + 1 }])).toHaveLength(1);
  });

  test("has only exceptions that are needed", () => {
    const long = new Set(files.filter(({ lines }) => lines > MAX_LINES).map(({ path }) => path));
    expect(Object.keys(EXCEPTIONS).filter((path) => !long.has(path))).toEqual([]);
  });
});
