import type { LateCode } from "../../../contracts/dispatch.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { SinkName } from "./post.ts";

/** A stretch of a post's time that went by with one thing. */
export interface Lap {
  readonly cause: LateCode;
  readonly from: EpochMs;
  readonly until: EpochMs;
  /** What the sentence about it names beside the figures: a sink, or the last error. */
  readonly detail?: string | undefined;
}

/** A stretch in which something that every post needs was missing; of one sink where one is named. */
export interface Outage extends Lap {
  readonly cause: "DISPATCH_DOWN" | "PROCESS_STALLED" | "DATABASE" | "SINK_HALTED";
  readonly sink?: SinkName;
}

/** How long a post waited for one thing; `ms` is less than the stretch where other things came between. */
export interface Wait extends Lap {
  readonly ms: number;
  /** Whether the stretch is an outage's, which may have begun before the post was due. */
  readonly isOutage?: boolean | undefined;
}

/** All that a post has waited for since it was due, up to an instant. */
export interface Waited {
  readonly until: EpochMs;
  readonly waits: readonly Wait[];
}

/** The longest are kept: a row with a long story has a bound. */
const MAX_WAITS = 8;
/** A shorter downtime of dispatch, as in a restart, stands among the other waits by its length. */
const DOWNTIME_FROM_MS = 1_000;

/**
 * How long a post waited for what: a downtime of dispatch first, then by length. The time of an outage counts as the outage's, whatever the post seemed
 * to wait for meanwhile.
 *
 * @param before - What is known already.
 */
export function waitsOf(
  laps: readonly Lap[],
  outages: readonly Outage[],
  before: readonly Wait[] = [],
): readonly Wait[] {
  const sums = new Map<string, Wait>();
  for (const wait of [...before, ...laps.flatMap((lap) => split(lap, outages))]) {
    const key = wait.isOutage === true ? `${wait.cause} ${wait.from}` : wait.cause;
    sums.set(key, merged(sums.get(key), wait));
  }
  return [...sums.values()].sort(byWeight).slice(0, MAX_WAITS);
}

/** A downtime of dispatch comes first: what follows it, such as the limit of a channel, is often its consequence. */
function byWeight(one: Wait, other: Wait): number {
  return Number(isDowntime(other)) - Number(isDowntime(one)) || other.ms - one.ms;
}

function isDowntime({ cause, ms }: Wait): boolean {
  return cause === "DISPATCH_DOWN" && ms >= DOWNTIME_FROM_MS;
}

function merged(known: Wait | undefined, wait: Wait): Wait {
  if (known === undefined) return wait;
  const from = Math.min(known.from, wait.from);
  return { ...wait, ms: known.ms + wait.ms, from, until: Math.max(known.until, wait.until) };
}

function split(lap: Lap, [outage, ...others]: readonly Outage[]): Wait[] {
  if (lap.until <= lap.from) return [];
  if (outage === undefined) return [{ ...lap, ms: lap.until - lap.from }];
  const from = Math.max(lap.from, outage.from);
  const until = Math.min(lap.until, outage.until);
  if (from >= until) return split(lap, others);
  const { cause, detail } = outage;
  const during = { cause, from: outage.from, until: outage.until, detail, ms: until - from, isOutage: true };
  return [...split({ ...lap, until: from }, others), during, ...split({ ...lap, from: until }, others)];
}

const CAUSES_OF_RETRY: readonly (readonly [cause: LateCode, reason: RegExp])[] = [
  ["RECEIVER_LIMIT", /^(?:HTTP 429|rate limit)/],
  ["OWNERS_SILENT", /^the truth about it/],
  ["WORKER_VANISHED", /^its worker vanished/],
];

/** What the time until another try is spent on, by the reason why there has to be one. */
export function causeOfRetry(reason = ""): LateCode {
  return CAUSES_OF_RETRY.find(([, begins]) => begins.test(reason))?.[0] ?? "ATTEMPT_FAILED";
}
