import { isDeepStrictEqual } from "node:util";
import type { Measured, Stage } from "../table/section.ts";
import { type Bound, medianRow, type TableRow } from "../table/table-row.ts";
import { postRequest } from "./post-request.ts";
import { median } from "./figures.ts";
import { interleaved, type Sample } from "./measure.ts";
import { type Row, ROWS } from "./rows.ts";
import { type Subject, untilIdle } from "./subjects.ts";

const FIGURES = {
  perSecond: { name: "requests/s", unit: "/s" },
  p99: { name: "p99", unit: " ms" },
  cpu: { name: "CPU a request", unit: " µs" },
} as const;
type Figure = keyof typeof FIGURES;

/** A subject for comparison, with the bounds of the ratios of guildcal's figures to its figures. */
export interface Beside {
  readonly subject: Subject;
  readonly bounds: Readonly<Partial<Record<Figure, Bound>>>;
}

/** Sends the selected rows to all subjects, whose responses must be equal. */
export async function compareRows(
  section: string,
  { loader, pace, isChosen }: Stage,
  ours: Subject,
  beside: readonly Beside[],
): Promise<Measured> {
  const rows: TableRow[] = [];
  const figures: Record<string, Record<string, readonly Sample[]>> = {};
  const subjects = [ours, ...beside.map(({ subject }) => subject)];
  for (const row of ROWS.filter(({ name }) => isChosen(name))) {
    await checkEqualResponses(row, subjects);
    for (const subject of subjects) await untilIdle(subject);
    const [of = [], ...others] = await interleaved(loader, subjects, row, pace);
    figures[row.name] = Object.fromEntries([of, ...others].map((samples, at) => [subjects[at]?.name ?? "", samples]));
    for (const [at, each] of beside.entries()) {
      rows.push(...ratioRows(`${section}: ${row.name}`, each, of, others[at] ?? []));
    }
  }
  return { rows, figures };
}

function ratioRows(
  row: string,
  { subject, bounds }: Beside,
  ours: readonly Sample[],
  theirs: readonly Sample[],
): TableRow[] {
  return Object.entries(bounds).map(([name, bound]) => {
    const figure = name as Figure;
    const of = (sample: Sample) => sample[figure];
    return medianRow({
      row,
      figure: `${FIGURES[figure].name} ÷ ${subject.name}`,
      unit: "",
      bound,
      rounds: ours.map((sample, at) => of(sample) / of(theirs[at] as Sample)),
      detail: `${absolute(figure, ours)}${figure === "cpu" ? byProcess(ours) : ""} : ${absolute(figure, theirs)}`,
    });
  });
}

function absolute(figure: Figure, samples: readonly Sample[]): string {
  const value = median(samples.map((sample) => sample[figure]));
  return `${value.toFixed(figure === "p99" ? 1 : 0)}${FIGURES[figure].unit}`;
}

/** The processor time by service, if each has a process. */
function byProcess(samples: readonly Sample[]): string {
  const names = Object.keys(samples[0]?.cpuOf ?? {});
  const each = names.map((name) => [name, median(samples.map(({ cpuOf }) => cpuOf[name] ?? 0))] as const);
  const busy = each.filter(([, cpu]) => cpu >= 1);
  return busy.length < 2 ? "" : ` (${busy.map(([name, cpu]) => `${name} ${cpu.toFixed(0)}`).join(", ")})`;
}

const COMPARED_ANSWERS = 20;

/** Checks that all servers give the same responses, since a server that does something else is not comparable. */
async function checkEqualResponses(row: Row, [ours, ...others]: readonly Subject[]): Promise<void> {
  if (ours === undefined) return;
  for (const body of row.bodies.slice(0, row.isWrite ? 1 : COMPARED_ANSWERS)) {
    const expected = comparable(row, await postRequest(ours, row.path, body));
    for (const other of others) {
      const response = comparable(row, await postRequest(other, row.path, body));
      if (isDeepStrictEqual(response, expected)) continue;
      const [said, ought] = [response, expected].map((each) => JSON.stringify(each).slice(0, 500));
      throw new Error(`${row.name}: ${other.name} responds differently\n${said}\n${ought}`);
    }
  }
}

function comparable({ isWrite }: Row, response: Record<string, unknown>): unknown {
  return isWrite ? Object.keys(response) : response;
}
