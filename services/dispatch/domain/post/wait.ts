import type { LateCode } from "../../../contracts/dispatch.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { SinkName } from "./sink-name.ts";

/** An interval that a post waited, and its cause. */
export interface WaitInterval {
  readonly cause: LateCode;
  readonly from: EpochMs;
  readonly until: EpochMs;
  /** Part of the reason's text: the sink, or the last error. */
  readonly detail?: string | undefined;
}

/** An interval without something that every post needs; with `sink`, that every post of the sink needs. */
export interface Outage extends WaitInterval {
  readonly cause: "RESTORED" | "DISPATCH_DOWN" | "PROCESS_STALLED" | "DATABASE" | "SINK_HALTED";
  readonly sink?: SinkName;
}

/** The time that a post waited for one cause. `ms` is shorter than the interval if other causes came between. */
export interface Wait extends WaitInterval {
  readonly ms: number;
  /** Whether the interval is the outage's, which may have begun before the post was due. */
  readonly isOutage?: boolean | undefined;
}

/** All waits of a post from its due instant to `until`. */
export interface WaitTotals {
  readonly until: EpochMs;
  readonly waits: readonly Wait[];
}

/** Bounds the size of a row; the longest waits are stored. */
const MAX_WAITS = 8;
/** A shorter downtime of dispatch, as in a restart, is ordered by its length like other waits. */
const MIN_DOWNTIME_MS = 1_000;

/**
 * Sums the intervals by cause. A restore or a downtime of dispatch comes first, then the longest wait. Time within an outage
 * counts as time of the outage, whatever else the post waited for.
 *
 * @param before - Waits that were summed earlier.
 */
export function mergeWaits(
  intervals: readonly WaitInterval[],
  outages: readonly Outage[],
  before: readonly Wait[] = [],
): readonly Wait[] {
  const sums = new Map<string, Wait>();
  for (const wait of [...before, ...intervals.flatMap((interval) => split(interval, outages))]) {
    const key = wait.isOutage === true ? `${wait.cause} ${wait.from}` : wait.cause;
    sums.set(key, merged(sums.get(key), wait));
  }
  return [...sums.values()].sort(compareWaits).slice(0, MAX_WAITS);
}

/** A restore or a downtime of dispatch comes first: other waits, such as for the limit of a channel, are often its consequence. */
function compareWaits(one: Wait, other: Wait): number {
  return Number(isDowntime(other)) - Number(isDowntime(one)) || other.ms - one.ms;
}

function isDowntime({ cause, ms }: Wait): boolean {
  return cause === "RESTORED" || (cause === "DISPATCH_DOWN" && ms >= MIN_DOWNTIME_MS);
}

function merged(known: Wait | undefined, wait: Wait): Wait {
  if (known === undefined) return wait;
  const from = Math.min(known.from, wait.from);
  return { ...wait, ms: known.ms + wait.ms, from, until: Math.max(known.until, wait.until) };
}

/** Cuts the outages out of an interval. */
function split(interval: WaitInterval, [outage, ...others]: readonly Outage[]): Wait[] {
  if (interval.until <= interval.from) return [];
  if (outage === undefined) return [{ ...interval, ms: interval.until - interval.from }];
  const from = Math.max(interval.from, outage.from);
  const until = Math.min(interval.until, outage.until);
  if (from >= until) return split(interval, others);
  const { cause, detail } = outage;
  const during = { cause, from: outage.from, until: outage.until, detail, ms: until - from, isOutage: true };
  return [...split({ ...interval, until: from }, others), during, ...split({ ...interval, from: until }, others)];
}

const RETRY_CAUSES: readonly (readonly [cause: LateCode, reason: RegExp])[] = [
  ["RECEIVER_LIMIT", /^(?:HTTP 429|rate limit)/],
  ["OWNERS_SILENT", /^(?:its event or announcement could not|the truth about it)/],
  ["WORKER_VANISHED", /^its worker vanished/],
];

/** The cause of the wait until a retry, by the reason of the failed attempt. */
export function retryCause(reason = ""): LateCode {
  return RETRY_CAUSES.find(([, prefix]) => prefix.test(reason))?.[0] ?? "ATTEMPT_FAILED";
}
