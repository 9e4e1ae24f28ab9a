import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { format } from "oxfmt";
import type { Report, SectionReport } from "./report.ts";
import { boundText, spreadText, type TableRow, valueText, verdictText } from "./table-row.ts";

const PAGE = join(dirname(import.meta.dirname), "results.md");

/** Replaces the page of results by the current table. */
export async function writeResults(report: Report): Promise<void> {
  const { code, errors } = await format(PAGE, pageOf(report), { printWidth: 120 });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  await writeFile(PAGE, code);
}

export function pageOf({ at, commit, machine, load, pace, sections }: Report): string {
  const verdicts = sections.flatMap(({ rows }) => rows.map(verdictText));
  const count = (verdict: string) => verdicts.filter((each) => each === verdict).length;
  return `# Results

\`npm run bench -- --results\` writes this page. [README.md](README.md) says how each figure is measured;
[mechanisms.md](mechanisms.md) lists the mechanisms that these rows keep, with their figures.

- machine: ${machine}; load before the run ${load.join(", ")}
- date: ${at.slice(0, 16).replace("T", " ")} UTC, commit \`${commit}\`
- ${pace.rounds} rounds; ${pace.requests} requests in a round (times 2, 3 or 4 where responses are fast), ${pace.connections} at once
- figures: ${count("held")} held, ${count("missed")} missed

"Measured" is the median of the rounds, "rounds" the least and the most. "÷" is guildcal's figure divided by the other's of the
same round; "absolute" has the medians of both.
${sections.map(sectionText).join("")}`;
}

function sectionText({ name, heading, rows, failure }: SectionReport): string {
  const title = `\n## ${name.charAt(0).toUpperCase()}${name.slice(1)}\n\n[How it is measured](README.md#${heading})\n\n`;
  if (failure !== undefined) return `${title}**Failed**: ${failure}\n`;
  return `${title}| row | figure | bound | measured | rounds | | absolute |\n|---|---|---|---|---|---|---|\n${rows.map(lineOf).join("")}`;
}

function lineOf(row: TableRow): string {
  const verdict = verdictText(row) === "missed" ? "**missed**" : verdictText(row);
  const name = row.row.slice(row.row.indexOf(": ") + 2);
  const cells = [name, row.figure, boundText(row), valueText(row), spreadText(row), verdict, row.detail];
  return `| ${cells.join(" | ")} |\n`;
}
