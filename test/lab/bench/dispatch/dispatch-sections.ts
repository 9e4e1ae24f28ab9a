import { median } from "../requests/figures.ts";
import { databaseNamed } from "../requests/subjects.ts";
import type { Section, Stage } from "../table/section.ts";
import { type Bound, medianRow, type TableRow } from "../table/table-row.ts";
import type { Spread } from "./due-posts.ts";
import { type StartInstallation, startOneProcess, startReplicas } from "./installations.ts";
import { postRound, type PostRound } from "./post-round.ts";

const STEADY: Spread = { posts: 7_500, spreadMs: 15_000, guilds: 500, warmUpMs: 5_000, leadMs: 50_000 };
const BURST: Spread = { posts: 5_000, spreadMs: 1_000, guilds: 1_000, warmUpMs: 0, leadMs: 40_000 };

/** One figure of the rounds, in the unit of its bound. */
interface Figure {
  readonly name: string;
  readonly unit: " ms" | " s";
  readonly bound: Bound;
  readonly of: (round: PostRound) => number;
}

const LAST_CLAIM = { name: "last claim", unit: " s", of: ({ claimed }: PostRound) => claimed.last / 1_000 } as const;

interface DispatchRow {
  readonly name: string;
  readonly spread: Spread;
  readonly start: StartInstallation;
  readonly figures: readonly Figure[];
}

const ROWS: readonly DispatchRow[] = [
  {
    name: "500 posts a second",
    spread: STEADY,
    start: startOneProcess,
    figures: [
      { name: "claimed p50", unit: " ms", bound: { most: 5 }, of: ({ claimed }) => claimed.p50 },
      { name: "claimed p99", unit: " ms", bound: { most: 25 }, of: ({ claimed }) => claimed.p99 },
    ],
  },
  {
    name: "5 000 posts in a second",
    spread: BURST,
    start: startOneProcess,
    figures: [{ ...LAST_CLAIM, bound: { most: 3 } }],
  },
];

const REPLICA_ROWS: readonly DispatchRow[] = [1, 2].map((count) => ({
  name: `5 000 posts in a second, ${count} of dispatch`,
  // Planning takes longer over NATS.
  spread: { ...BURST, leadMs: 80_000 },
  start: startReplicas(count),
  figures: [{ ...LAST_CLAIM, bound: {} }],
}));

/** The lateness of posts, from the due instant to the claim. */
export const DISPATCH: Section = sectionOf("dispatch", "dispatch", ROWS);
/** The same for one and two replicas of dispatch, each with a small share of a CPU. */
export const DISPATCH_REPLICAS: Section = sectionOf("two replicas of dispatch", "replicas", REPLICA_ROWS);

function sectionOf(name: string, heading: string, all: readonly DispatchRow[]): Section {
  return {
    name,
    heading,
    rowNames: all.map((each) => each.name),
    hasServerCpu: false,

    async measure(stage) {
      const rows: TableRow[] = [];
      const figures: Record<string, readonly PostRound[]> = {};
      for (const row of all.filter((each) => stage.isChosen(each.name))) {
        const rounds = await roundsOf(stage, row);
        figures[row.name] = rounds;
        for (const { of, name: figure, unit, bound } of row.figures) {
          const detail = detailOf(rounds);
          rows.push(medianRow({ row: `${name}: ${row.name}`, figure, unit, bound, rounds: rounds.map(of), detail }));
        }
      }
      return { rows, figures };
    },
  };
}

async function roundsOf({ given, pace }: Stage, { start, spread }: DispatchRow): Promise<PostRound[]> {
  const rounds: PostRound[] = [];
  while (rounds.length < pace.rounds) {
    rounds.push(await postRound(databaseNamed(given.mongoUrl, `posts_${Date.now()}`), start, spread));
  }
  return rounds;
}

function detailOf(rounds: readonly PostRound[]): string {
  const of = (figure: (round: PostRound) => number) => median(rounds.map(figure));
  const received = [of((each) => each.received.p50), of((each) => each.received.p99)].map((ms) => ms.toFixed(0));
  return `received p50, p99 ${received.join(", ")} ms; ${of(({ cpuMs }) => cpuMs).toFixed(2)} ms of CPU a post`;
}
