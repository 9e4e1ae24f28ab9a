import { isDeepStrictEqual } from "node:util";
import { post } from "./ask.ts";
import { median } from "./figures.ts";
import { interleaved, type Loader, type Pace, type Sample } from "./measure.ts";
import type { Row } from "./rows.ts";
import type { Subject } from "./subjects.ts";

/** What one subject costs: medians over the rounds. */
export interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU for a request. */
  readonly cpu: number;
}

/** guildcal beside another at the same row; each ratio is the median over the rounds of ours to theirs. */
export interface Comparison {
  readonly row: string;
  readonly beside: string;
  readonly ours: Figures;
  readonly theirs: Figures;
  readonly ratio: Figures;
  /** How many times as many requests ours must answer. */
  readonly least: number;
  readonly held: boolean;
}

/** Puts a row to all who answer it, once they have been seen to answer the same. */
export async function compareRow(
  loader: Loader,
  row: Row,
  guildcal: Subject,
  rivals: readonly Subject[],
  pace: Pace,
): Promise<Comparison[]> {
  const beside = rivals.filter(({ name }) => name in row.beside);
  await sameAnswer(row, guildcal, beside);
  const samples = await interleaved(loader, [guildcal, ...beside], row, pace);
  const ours = samples.get(guildcal.name) ?? [];
  return beside.map(({ name }): Comparison => {
    const theirs = samples.get(name) ?? [];
    const least = Object.entries(row.beside).find(([rival]) => rival === name)?.[1] ?? 1;
    const ratio = figuresOf(ours.map((sample, at) => ratioOf(sample, theirs[at] as Sample)));
    const held = ratio.perSecond >= least;
    return { row: row.name, beside: name, ours: figuresOf(ours), theirs: figuresOf(theirs), ratio, least, held };
  });
}

/** What is faster because it does something else is no rival. */
async function sameAnswer(row: Row, guildcal: Subject, beside: readonly Subject[]): Promise<void> {
  const ours = comparable(row, await post(guildcal, row.path, row.bodies[0] ?? {}));
  for (const rival of beside) {
    const theirs = comparable(row, await post(rival, row.path, row.bodies[0] ?? {}));
    if (isDeepStrictEqual(theirs, ours)) continue;
    throw new Error(`${row.name}: ${rival.name} answers ${JSON.stringify(theirs)}, guildcal ${JSON.stringify(ours)}`);
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
