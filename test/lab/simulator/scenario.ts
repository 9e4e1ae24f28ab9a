import type { SinkName } from "../../../services/dispatch/domain/post/sink-name.ts";
import type { Owners } from "../../../services/dispatch/protocol/ports.ts";
import type { PostStore } from "../../../services/dispatch/protocol/post-store.ts";
import type { Sink } from "../../../services/dispatch/sinks/sink.ts";
import { type Chance, newChance } from "./chance.ts";

/** A time interval, in milliseconds from the start of the run. */
export interface Interval {
  readonly from: number;
  readonly until: number;
}

/** The instant of a crash or freeze: the nth call of an operation, before it is applied or before its response arrives. */
export interface ProcessFault {
  readonly replica: number;
  readonly operation: string;
  readonly nth: number;
  readonly when: "request" | "response";
  readonly kind: "crash" | "freeze";
  /** Time from the crash to the restart, or duration of the freeze. */
  readonly forMs: number;
}

/** A replica stops gracefully, finishes its posts, and starts again after `forMs`. */
interface Drain {
  readonly replica: number;
  readonly from: number;
  readonly forMs: number;
}

/** An interval in which the first sink's receiver refuses in a way that looks permanent. */
export interface Refusal extends Interval {
  /** It refuses one channel, every embed (and perhaps the plain text instead), or everything until an operator acts. */
  readonly of: "channel" | "embed" | "embed and text" | "everything";
}

/** A step of a clock. */
interface ClockStep {
  readonly at: number;
  readonly byMs: number;
}

/** The faults of a run. */
export interface Scenario {
  readonly replicas: number;
  /** Only the first sink has faults, which must not affect the others. */
  readonly sinks: readonly SinkName[];
  /** Probability that a request or a response is lost. */
  readonly loss: number;
  /** Probability that a request or a response takes up to 0.8 s. */
  readonly slowness: number;
  readonly broadcastLoss: number;
  readonly broadcastDelayMs: number;
  /** Outages of shared systems. */
  readonly busDown: readonly Interval[];
  readonly storeDown: readonly Interval[];
  readonly receiverDown: readonly Interval[];
  readonly ownersDown: readonly Interval[];
  readonly processFaults: readonly ProcessFault[];
  readonly drains: readonly Drain[];
  /** Crashes of all replicas at once. */
  readonly blackouts: readonly Interval[];
  /** Steps of the database server's clock, within the overlap of feed reads. */
  readonly clockSteps: readonly ClockStep[];
  /** Steps of every replica's wall clock, which must have no effect. */
  readonly wallSteps: readonly ClockStep[];
  readonly refusals: readonly Refusal[];
  /** Probability of a 429 from the receiver, or of a 5xx after or before it has accepted the message. */
  readonly limited: number;
  readonly broken: number;
  readonly canLookUp: boolean;
  readonly parts: number;
  readonly announcements: number;
  readonly events: number;
  readonly edits: number;
  /** Edits of a channel around a due instant that are reverted within about a second. */
  readonly flips: number;
  /** Maximum time until a write is visible. */
  readonly slowWriteMs: number;
  /** Announcements of another guild that are due just before this one's, in a run without faults. */
  readonly noisy: number;
  /** Requests per second of each replica's first sink. */
  readonly requestsPerSecond: number;
  /** Changes of other guilds do not wait for a guild that pauses between two plans. */
  readonly waitsForNoPause: boolean;
  /** Announcements have offsets, and users change the ends of events. */
  readonly offsets: boolean;
  /** Users pause the guild, events and announcements, and end pauses (D62). */
  readonly pauses: boolean;
  /** Announcements skip holidays, and users create and delete holidays (D66). */
  readonly holidays: boolean;
  /** The guild has digests, and users change their times and the zone of the calendar. */
  readonly digests: boolean;
  /** Announcements edit their messages, users also change events that were announced, and somebody deletes messages (D67). */
  readonly messageEdits: boolean;
  /** Announcements delete their messages, and users do all that they do in runs with edits (D68). */
  readonly cleanUps: boolean;
}

/** All scheduled faults begin before this time, in milliseconds from the start of the run. */
export const LAST_FAULT_MS = 75_000;

/** Operations during which a crash or freeze may happen. */
const STRUCK: readonly (keyof PostStore | keyof Owners | keyof Sink)[] = [
  "claim",
  "send",
  "write",
  "commitPlan",
  "occurrence",
  "takeOver",
  "extendLease",
  "postsOfPairs",
  "savePartitionMarks",
  "find",
];

/** Selects the runs with pauses. The seeds that catch the mutants of other protections have none, so that these runs stay as they are. */
const PAUSES = 48_412;
/** The remainders by 50 of the seeds whose runs have digests: the runs of all others stay as they were without digests. */
const SEEDS_WITH_DIGESTS = new Set([7, 17]);
/** The same for runs in which messages are edited. */
const SEEDS_WITH_EDITS = new Set([4, 14, 44]);
/** The same for runs in which messages are deleted. */
const SEEDS_WITH_CLEAN_UPS = new Set([22, 46]);
/** The same of the seeds whose runs have holidays. */
const SEEDS_WITH_HOLIDAYS = new Set([24, 31]);

export function scenarioOf(seed: number): Scenario {
  const chance = newChance(seed * 2 + 1);
  const scenario = troubled(chance);
  const some = chance.happens(0.02) ? { ...scenario, ...noisyAndWell(chance) } : scenario;
  const waitsForNoPause = chance.happens(0.3);
  const offsets = some.noisy === 0 && chance.happens(0.4);
  const pauses = some.noisy === 0 && newChance(seed * 2 + PAUSES).happens(0.25);
  const digests = some.noisy === 0 && SEEDS_WITH_DIGESTS.has(seed % 50);
  const holidays = some.noisy === 0 && SEEDS_WITH_HOLIDAYS.has(seed % 50);
  const cleanUps = some.noisy === 0 && SEEDS_WITH_CLEAN_UPS.has(seed % 50);
  const messageEdits = cleanUps || (some.noisy === 0 && SEEDS_WITH_EDITS.has(seed % 50));
  return { ...some, waitsForNoPause, offsets, pauses, holidays, digests, messageEdits, cleanUps };
}

function troubled(
  chance: Chance,
): Omit<Scenario, "waitsForNoPause" | "offsets" | "pauses" | "holidays" | "digests" | "messageEdits" | "cleanUps"> {
  const calm = chance.happens(0.25);
  const rarely = (probability: number, max: number) => (chance.happens(calm ? probability / 4 : probability) ? max : 0);
  const intervals = (probability: number, longest: number): Interval[] => {
    if (rarely(probability, 1) === 0) return [];
    const from = chance.between(0, LAST_FAULT_MS - 5_000);
    return [{ from, until: from + chance.between(500, longest) }];
  };
  const steps = (probability: number, longest: number): ClockStep[] =>
    intervals(probability, 1).map(({ from }) => ({ at: from, byMs: chance.between(-longest, longest) }));
  const replicas = chance.oneOf([1, 2, 2, 3]);
  const processFaults = Array.from({ length: rarely(0.7, chance.between(1, 4)) }, () =>
    processFaultOn(replicas, chance),
  );
  return {
    replicas,
    sinks: chance.happens(0.15) ? ["log", "webhook"] : ["log"],
    loss: rarely(0.6, chance.oneOf([0.01, 0.05])),
    slowness: chance.oneOf([0.02, 0.02, 0.02, 0.15]),
    broadcastLoss: chance.oneOf([0, 0.3, 1]),
    broadcastDelayMs: chance.oneOf([5, 50, 4_000]),
    busDown: intervals(0.2, 20_000),
    storeDown: intervals(0.2, 12_000),
    receiverDown: intervals(0.2, 30_000),
    ownersDown: intervals(0.15, 20_000),
    blackouts: intervals(0.2, 30_000),
    processFaults,
    drains: intervals(0.25, 15_000).map(({ from, until }) => ({
      replica: chance.between(0, replicas - 1),
      from,
      forMs: until - from,
    })),
    clockSteps: steps(0.15, 3_000),
    wallSteps: steps(0.3, 3_600_000),
    refusals: intervals(0.3, 40_000).map(({ from, until }) => ({
      from,
      until,
      of: chance.oneOf(["channel", "channel", "embed", "embed and text", "everything"] as const),
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

function processFaultOn(replicas: number, chance: Chance): ProcessFault {
  const kind = chance.oneOf(["crash", "crash", "freeze"] as const);
  return {
    replica: chance.between(0, replicas - 1),
    operation: chance.oneOf(STRUCK),
    nth: chance.between(1, chance.oneOf([2, 8])),
    when: chance.oneOf(["request", "response"]),
    kind,
    forMs: chance.between(100, kind === "crash" ? 15_000 : 25_000),
  };
}

/** A run without faults, in which only another guild delays posts, so that their order can be checked. */
function noisyAndWell(chance: Chance): Partial<Scenario> {
  const nothing = { busDown: [], storeDown: [], receiverDown: [], ownersDown: [], blackouts: [] };
  const nobody = { processFaults: [], drains: [], clockSteps: [], wallSteps: [], refusals: [], edits: 0, flips: 0 };
  const noise = { noisy: chance.between(40, 60), requestsPerSecond: chance.oneOf([8, Infinity]) };
  return { ...nothing, ...nobody, loss: 0, slowness: 0, limited: 0, broken: 0, slowWriteMs: 5, ...noise };
}
