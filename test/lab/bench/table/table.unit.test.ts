import { describe, expect, test } from "@jest/globals";
import { isWhollyHeld, linesOf, type Report, type SectionReport } from "./report.ts";
import { pageOf } from "./results-page.ts";
import { medianRow, type TableRow, verdictText } from "./table-row.ts";

const A_ROW = { row: "one process: events/get", figure: "p99 ÷ fastify", unit: "", detail: "2.0 ms : 4.0 ms" } as const;

function rowOf(rounds: readonly number[], bound: TableRow["bound"] = { most: 1 }): TableRow {
  return medianRow({ ...A_ROW, bound, rounds });
}

function sectionOf(...rows: TableRow[]): SectionReport {
  return { name: "one process", heading: "requests", rows };
}

describe("a figure of the bench's table", () => {
  test("is the median of its rounds, with the minimum and the maximum", () => {
    expect(rowOf([0.4, 0.9, 0.5])).toMatchObject({ value: 0.5, spread: [0.4, 0.9] });
  });

  test.each([
    ["held", [1], { most: 1 }],
    ["missed", [1.01], { most: 1 }],
    ["held", [1.1], { least: 1.1 }],
    ["missed", [1.09], { least: 1.1 }],
    ["missed", [], { most: 1 }],
    ["", [7], {}],
  ])("is %j with the rounds %j and the bound %j", (verdict, rounds, bound) => {
    expect(verdictText(rowOf(rounds, bound))).toBe(verdict);
  });
});

describe("a run of the bench", () => {
  test("passes if each figure is within its bound and no section failed", () => {
    const held = sectionOf(rowOf([0.5]), rowOf([7], {}));
    expect(isWhollyHeld({ sections: [held] })).toBe(true);
    expect(isWhollyHeld({ sections: [held, sectionOf(rowOf([2]))] })).toBe(false);
    expect(isWhollyHeld({ sections: [held, { ...sectionOf(), failure: "a server ended" }] })).toBe(false);
  });

  test("prints a line for each figure, with its bound, value and rounds", () => {
    const [line = ""] = linesOf(sectionOf(rowOf([0.4, 0.9, 0.5])));
    expect(line.split(/ {2,}/)).toEqual([
      "held",
      "one process: events/get",
      "p99 ÷ fastify",
      "≤ 1",
      "0.500",
      "0.400 … 0.900",
      "2.0 ms : 4.0 ms",
    ]);
  });

  test("is a page with the machine, the commit, each figure, and each failure", () => {
    const report: Report = {
      at: "2026-11-24T22:10:11.123Z",
      commit: "749b4c0",
      machine: "2 × AMD EPYC",
      load: ["0.10", "0.20", "0.30"],
      pace: { rounds: 5, requests: 3_000, connections: 16 },
      sections: [
        sectionOf(rowOf([0.5]), rowOf([2])),
        { name: "memory", heading: "memory", rows: [], failure: "a server ended" },
      ],
    };
    const page = pageOf(report);
    expect(page).toContain("2 × AMD EPYC; load before the run 0.10, 0.20, 0.30");
    expect(page).toContain("2026-11-24 22:10 UTC, commit `749b4c0`");
    expect(page).toContain("figures: 1 held, 1 missed");
    expect(page).toContain("| events/get | p99 ÷ fastify | ≤ 1 | 2.00 | 2.00 … 2.00 | **missed** | 2.0 ms : 4.0 ms |");
    expect(page).toContain("## Memory\n\n[How it is measured](README.md#memory)\n\n**Failed**: a server ended");
  });
});
