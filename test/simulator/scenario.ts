import { newChance } from "./chance.ts";

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

/** What will go wrong in a run, and how often. */
export interface Scenario {
  readonly replicas: number;
  /** Probability that a request or an answer is lost. */
  readonly loss: number;
  readonly hintLoss: number;
  readonly hintDelayMs: number;
  /** Outages of what everybody depends on. */
  readonly busDown: readonly Stretch[];
  readonly storeDown: readonly Stretch[];
  readonly receiverDown: readonly Stretch[];
  readonly ownersDown: readonly Stretch[];
  readonly strikes: readonly Strike[];
  /** Crashes of all replicas at once. */
  readonly blackouts: readonly Stretch[];
  /** Probability that the receiver answers with a 429, or with a 5xx after it has or hasn't taken the message. */
  readonly limited: number;
  readonly broken: number;
  readonly canLookUp: boolean;
  readonly parts: number;
  readonly announcements: number;
  readonly events: number;
  readonly edits: number;
  /** How long a write may take to become visible. */
  readonly slowWriteMs: number;
}

/** Everything that is set on purpose happens before this; then the world is left in peace. */
export const TROUBLE_MS = 75_000;

const STRUCK = [
  "claim",
  "send",
  "write",
  "commitPlan",
  "occurrence",
  "takeOver",
  "hold",
  "postsOf",
  "saveMark",
  "find",
];

export function scenarioOf(seed: number): Scenario {
  const chance = newChance(seed * 2 + 1);
  const calm = chance.happens(0.25);
  const rarely = (probability: number, most: number) =>
    chance.happens(calm ? probability / 4 : probability) ? most : 0;
  const stretches = (probability: number, longest: number): Stretch[] => {
    if (rarely(probability, 1) === 0) return [];
    const from = chance.between(0, TROUBLE_MS - 5_000);
    return [{ from, until: from + chance.between(500, longest) }];
  };
  const replicas = chance.oneOf([1, 2, 2, 3]);
  const strikes = Array.from({ length: rarely(0.7, chance.between(1, 4)) }, (): Strike => {
    const kind = chance.oneOf(["crash", "crash", "freeze"] as const);
    return {
      replica: chance.between(0, replicas - 1),
      operation: chance.oneOf(STRUCK),
      nth: chance.between(1, chance.oneOf([2, 8])),
      when: chance.oneOf(["asked", "answered"]),
      kind,
      forMs: chance.between(100, kind === "crash" ? 15_000 : 25_000),
    };
  });
  return {
    replicas,
    loss: rarely(0.6, chance.oneOf([0.01, 0.05])),
    hintLoss: chance.oneOf([0, 0.3, 1]),
    hintDelayMs: chance.oneOf([5, 50, 4_000]),
    busDown: stretches(0.2, 20_000),
    storeDown: stretches(0.2, 12_000),
    receiverDown: stretches(0.2, 30_000),
    ownersDown: stretches(0.15, 20_000),
    blackouts: stretches(0.2, 30_000),
    strikes,
    limited: rarely(0.3, 0.2),
    broken: rarely(0.4, chance.oneOf([0.3, 0.85])),
    canLookUp: chance.happens(0.5),
    parts: chance.oneOf([1, 1, 1, 2]),
    announcements: chance.between(1, 2),
    events: chance.between(1, 3),
    edits: chance.between(0, 8),
    slowWriteMs: chance.oneOf([5, 50, 4_000]),
  };
}
