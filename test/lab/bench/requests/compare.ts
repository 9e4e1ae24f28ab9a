import { isDeepStrictEqual } from "node:util";
import { ask } from "./ask.ts";
import { median } from "./figures.ts";
import { interleaved, type Loader, type Sample } from "./measure.ts";
import { type Pace, paceOf, type Row } from "./rows.ts";
import type { Subject } from "./subjects.ts";

/** What one subject costs: medians over the rounds. */
export interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU for a request. */
  readonly cpu: number;
}

/** How many times theirs a figure of ours must be at least, or may be at most. */
export interface Bound {
  readonly figure: keyof Figures;
  readonly least?: number;
  readonly most?: number;
}

/** One subject beside another at the same row; each ratio is the median over the rounds of ours to theirs. */
export interface Comparison {
  readonly row: string;
  readonly beside: string;
  readonly ours: Figures;
  readonly theirs: Figures;
  readonly ratio: Figures;
  readonly bounds: readonly Bound[];
  readonly held: boolean;
  /** Microseconds of CPU for a request of ours, by process. */
  readonly cpuOf: Readonly<Record<string, number>>;
}

export type Beside = readonly [rival: Subject, bounds: readonly Bound[]];

/** Puts a row to all who answer it, once they have been seen to answer the same. */
export async function compareRow(
  loader: Loader,
  row: Row,
  subject: Subject,
  beside: readonly Beside[],
  pace: Pace,
): Promise<Comparison[]> {
  const rivals = beside.map(([rival]) => rival);
  await sameAnswer(row, subject, rivals);
  const samples = await interleaved(loader, [subject, ...rivals], row, paceOf(row, pace));
  const ours = samples.get(subject.name) ?? [];
  return beside.map(([{ name }, bounds]) => comparison(row.name, name, ours, samples.get(name) ?? [], bounds));
}

export function comparison(
  row: string,
  beside: string,
  ours: readonly Sample[],
  theirs: readonly Sample[],
  bounds: readonly Bound[],
): Comparison {
  const ratio = figuresOf(ours.map((sample, at) => ratioOf(sample, theirs[at] as Sample)));
  const held = bounds.every(
    ({ figure, least = -Infinity, most = Infinity }) => ratio[figure] >= least && ratio[figure] <= most,
  );
  const processes = Object.keys(ours[0]?.cpuOf ?? {});
  const cpuOf = processes.map((name) => [name, median(ours.map((sample) => sample.cpuOf[name] ?? 0))] as const);
  return {
    row,
    beside,
    ours: figuresOf(ours),
    theirs: figuresOf(theirs),
    ratio,
    bounds,
    held,
    cpuOf: Object.fromEntries(cpuOf),
  };
}

/** What is faster because it does something else is no rival. */
async function sameAnswer(row: Row, guildcal: Subject, beside: readonly Subject[]): Promise<void> {
  const ours = comparable(row, await ask(guildcal, row.path, row.bodies?.[0]));
  for (const rival of beside) {
    const theirs = comparable(row, await ask(rival, row.path, row.bodies?.[0]));
    if (isDeepStrictEqual(theirs, ours)) continue;
    const [said, ought] = [theirs, ours].map((answer) => JSON.stringify(answer).slice(0, 500));
    throw new Error(`${row.name}: ${rival.name} answers otherwise\n${said}\n${ought}`);
  }
}

function comparable({ isWrite }: Row, answer: Record<string, unknown>): unknown {
  return isWrite === true ? Object.keys(answer) : answer;
}

function figuresOf(samples: readonly Figures[]): Figures {
  const of = (figure: keyof Figures) => median(samples.map((sample) => sample[figure]));
  return { perSecond: of("perSecond"), p50: of("p50"), p99: of("p99"), cpu: of("cpu") };
}

function ratioOf(ours: Figures, theirs: Figures): Figures {
  return {
    perSecond: ours.perSecond / theirs.perSecond,
    p50: ours.p50 / theirs.p50,
    p99: ours.p99 / theirs.p99,
    cpu: ours.cpu / theirs.cpu,
  };
}
