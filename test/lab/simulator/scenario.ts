import type { SinkName } from "../../../services/dispatch/domain/post/sink-name.ts";
import type { Owners } from "../../../services/dispatch/protocol/ports.ts";
import type { PostStore } from "../../../services/dispatch/protocol/post-store.ts";
import type { Sink } from "../../../services/dispatch/sinks/sink.ts";
import { type Chance, newChance } from "./chance.ts";

/** A stretch of time, in ms from the start of the run. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** Where a replica is struck: the nth call of an operation, before it is applied or before its answer comes back. */
export interface Strike {
  readonly replica: number;
  readonly operation: string;
  readonly nth: number;
  readonly when: "asked" | "answered";
  /** Crash, and come back after so long; or freeze for so long. */
  readonly kind: "crash" | "freeze";
  readonly forMs: number;
}

/** A replica stops in order, finishes the posts that it holds, and comes back after `forMs`. */
interface Drain {
  readonly replica: number;
  readonly from: number;
  readonly forMs: number;
}

/** For a while the first sink's receiver says no, for good as far as anybody can tell. */
export interface Refusal extends Stretch {
  /** One channel; every box (and the plain text in its place, too); or everything, until an operator acts. */
  readonly of: "channel" | "box" | "box and text" | "everything";
}

/** A clock jumps. */
interface ClockStep {
  readonly at: number;
  readonly byMs: number;
}

/** What will go wrong in a run, and how often. */
export interface Scenario {
  readonly replicas: number;
  /** All but the first are always well: what befalls that one must not reach them. */
  readonly sinks: readonly SinkName[];
  /** Probability that a request or an answer is lost. */
  readonly loss: number;
  /** Probability that a request or an answer takes up to 0.8 s. */
  readonly slowness: number;
  readonly hintLoss: number;
  readonly hintDelayMs: number;
  /** Outages of what everybody depends on. */
  readonly busDown: readonly Stretch[];
  readonly storeDown: readonly Stretch[];
  readonly receiverDown: readonly Stretch[];
  readonly ownersDown: readonly Stretch[];
  readonly strikes: readonly Strike[];
  readonly drains: readonly Drain[];
  /** Crashes of all replicas at once. */
  readonly blackouts: readonly Stretch[];
  /** Steps of the database server's clock: within the overlap with which feeds are read. */
  readonly clockSteps: readonly ClockStep[];
  /** Steps of every replica's wall clock: nobody should notice. */
  readonly wallSteps: readonly ClockStep[];
  readonly refusals: readonly Refusal[];
  /** Probability that the receiver answers with a 429, or with a 5xx after it has or hasn't taken the message. */
  readonly limited: number;
  readonly broken: number;
  readonly canLookUp: boolean;
  readonly parts: number;
  readonly announcements: number;
  readonly events: number;
  readonly edits: number;
  /** Edits of a channel that are taken back within a second or so, around a due instant. */
  readonly flips: number;
  /** How long a write may take to become visible. */
  readonly slowWriteMs: number;
  /** Announcements of another guild that are due just before this one's, in a run where all else is well. */
  readonly noisy: number;
  /** What each replica's first sink lets through. */
  readonly requestsPerSecond: number;
}

/** Everything that is set on purpose happens before this; then the world is left in peace. */
export const TROUBLE_MS = 75_000;

/** Operations that a crash or freeze may hit. */
const STRUCK: readonly (keyof PostStore | keyof Owners | keyof Sink)[] = [
  "claim",
  "send",
  "write",
  "commitPlan",
  "occurrence",
  "takeOver",
  "extendLease",
  "postsOfPairs",
  "saveChangeMark",
  "find",
];

export function scenarioOf(seed: number): Scenario {
  const chance = newChance(seed * 2 + 1);
  const scenario = troubled(chance);
  return chance.happens(0.02) ? { ...scenario, ...noisyAndWell(chance) } : scenario;
}

function troubled(chance: Chance): Scenario {
  const calm = chance.happens(0.25);
  const rarely = (probability: number, most: number) =>
    chance.happens(calm ? probability / 4 : probability) ? most : 0;
  const stretches = (probability: number, longest: number): Stretch[] => {
    if (rarely(probability, 1) === 0) return [];
    const from = chance.between(0, TROUBLE_MS - 5_000);
    return [{ from, until: from + chance.between(500, longest) }];
  };
  const steps = (probability: number, longest: number): ClockStep[] =>
    stretches(probability, 1).map(({ from }) => ({ at: from, byMs: chance.between(-longest, longest) }));
  const replicas = chance.oneOf([1, 2, 2, 3]);
  const strikes = Array.from({ length: rarely(0.7, chance.between(1, 4)) }, () => strikeOn(replicas, chance));
  return {
    replicas,
    sinks: chance.happens(0.15) ? ["log", "webhook"] : ["log"],
    loss: rarely(0.6, chance.oneOf([0.01, 0.05])),
    slowness: chance.oneOf([0.02, 0.02, 0.02, 0.15]),
    hintLoss: chance.oneOf([0, 0.3, 1]),
    hintDelayMs: chance.oneOf([5, 50, 4_000]),
    busDown: stretches(0.2, 20_000),
    storeDown: stretches(0.2, 12_000),
    receiverDown: stretches(0.2, 30_000),
    ownersDown: stretches(0.15, 20_000),
    blackouts: stretches(0.2, 30_000),
    strikes,
    drains: stretches(0.25, 15_000).map(({ from, until }) => ({
      replica: chance.between(0, replicas - 1),
      from,
      forMs: until - from,
    })),
    clockSteps: steps(0.15, 3_000),
    wallSteps: steps(0.3, 3_600_000),
    refusals: stretches(0.3, 40_000).map(({ from, until }) => ({
      from,
      until,
      of: chance.oneOf(["channel", "channel", "box", "box and text", "everything"] as const),
    })),
    limited: rarely(0.3, 0.2),
    broken: rarely(0.4, chance.oneOf([0.3, 0.85])),
    canLookUp: chance.happens(0.5),
    parts: chance.oneOf([1, 1, 1, 2]),
    announcements: chance.between(1, 2),
    events: chance.between(1, 3),
    edits: chance.between(0, 8),
    flips: rarely(0.3, chance.between(1, 3)),
    slowWriteMs: chance.oneOf([5, 50, 4_000]),
    noisy: 0,
    requestsPerSecond: Infinity,
  };
}

function strikeOn(replicas: number, chance: Chance): Strike {
  const kind = chance.oneOf(["crash", "crash", "freeze"] as const);
  return {
    replica: chance.between(0, replicas - 1),
    operation: chance.oneOf(STRUCK),
    nth: chance.between(1, chance.oneOf([2, 8])),
    when: chance.oneOf(["asked", "answered"]),
    kind,
    forMs: chance.between(100, kind === "crash" ? 15_000 : 25_000),
  };
}

/** Nothing is in the way but another guild: then turns can be counted. */
function noisyAndWell(chance: Chance): Partial<Scenario> {
  const nothing = { busDown: [], storeDown: [], receiverDown: [], ownersDown: [], blackouts: [] };
  const nobody = { strikes: [], drains: [], clockSteps: [], wallSteps: [], refusals: [], edits: 0, flips: 0 };
  const noise = { noisy: chance.between(40, 60), requestsPerSecond: chance.oneOf([8, Infinity]) };
  return { ...nothing, ...nobody, loss: 0, slowness: 0, limited: 0, broken: 0, slowWriteMs: 5, ...noise };
}
