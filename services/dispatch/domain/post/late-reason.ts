import { LATE_CODES, type LateCode } from "../../../contracts/dispatch.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Wait } from "./wait.ts";

/** A post that is sent later than this has a reason (D44). */
export const LATE_WITH_REASON_MS = 5_000;
/** What took less is not named beside what took longer. */
const NAMED_FROM_MS = 1_000;
const MAX_NAMED = 3;

interface Sentence {
  /** What every sentence of this cause begins with, and no other reason. */
  readonly begins: string;
  readonly of: (wait: Wait) => string;
}

/** What is said about a wait, a sentence for each cause. */
const SENTENCES: Readonly<Record<LateCode, Sentence>> = {
  DISPATCH_DOWN: {
    begins: "dispatch was not running",
    of: (wait) => `dispatch was not running ${stretch(wait)}`,
  },
  PROCESS_STALLED: {
    begins: "the process of dispatch stood still",
    of: (wait) => `the process of dispatch stood still ${stretch(wait)}`,
  },
  DATABASE: {
    begins: "the database",
    of: (wait) =>
      wait.isOutage === true
        ? `the database was out of reach ${stretch(wait)}`
        : `the database took ${seconds(wait)} to answer`,
  },
  SINK_HALTED: {
    begins: "nothing could be sent through the sink",
    of: (wait) => `nothing could be sent through the sink ${stretch(wait)}: ${wait.detail}`,
  },
  PLANNED_LATE: {
    begins: "it was planned late",
    of: (wait) => `it was planned late: ${seconds(wait)} went by before its change was worked off`,
  },
  NOT_TAKEN_UP: {
    begins: "no replica took it up",
    of: (wait) => `no replica took it up for ${seconds(wait)}: posts that were due before it, or a load too high`,
  },
  OTHER_REPLICA: {
    begins: "another replica was to send it",
    of: (wait) => `another replica was to send it, and had ${seconds(wait)} for that`,
  },
  WORKER_VANISHED: {
    begins: "its worker vanished",
    of: (wait) => `its worker vanished while it was sending, and had a lease until ${instant(wait.until)}`,
  },
  ATTEMPT_FAILED: {
    begins: "sending it failed",
    of: (wait) => `sending it failed, and ${seconds(wait)} were waited to try again; the last error: ${wait.detail}`,
  },
  OWNERS_SILENT: {
    begins: "the owners of its event",
    of: (wait) => `the owners of its event and announcement did not answer for ${seconds(wait)}`,
  },
  RECEIVER_LIMIT: {
    begins: "the receiver's limits",
    of: (wait) => `the receiver's limits let nothing through for ${seconds(wait)}`,
  },
  CHANNEL_LIMIT: {
    begins: "the receiver's limit for its channel",
    of: (wait) => `the receiver's limit for its channel let nothing through for ${seconds(wait)}`,
  },
  CHANNEL_QUEUE: {
    begins: "other posts of its channel",
    of: (wait) => `other posts of its channel went before it for ${seconds(wait)}`,
  },
  SINK_BUDGET: {
    begins: "the sink's requests per second",
    of: (wait) => `the sink's requests per second were used up by other posts for ${seconds(wait)}`,
  },
  SINK_QUEUE: {
    begins: "other posts of its sink",
    of: (wait) => `other posts of its sink were being sent for ${seconds(wait)}`,
  },
  RECEIVER_SLOW: {
    begins: "the receiver took",
    of: (wait) => `the receiver took ${seconds(wait)} to answer`,
  },
};

/**
 * Why a post is late, in words: a downtime of dispatch or else the longest wait, and up to two more of at least a second.
 * Undefined when nothing is known.
 *
 * @param waits - In the order of `waitsOf`.
 */
export function lateReason(waits: readonly Wait[]): string | undefined {
  const named = waits.filter(({ ms }, at) => at === 0 || ms >= NAMED_FROM_MS).slice(0, MAX_NAMED);
  if (named.length === 0) return undefined;
  return named.map((wait) => SENTENCES[wait.cause].of(wait)).join("; ");
}

/** The cause that a reason names first; undefined when the reason is no lateness's. */
export function causeNamedIn(reason: string): LateCode | undefined {
  return LATE_CODES.find((cause) => reason.startsWith(SENTENCES[cause].begins));
}

function seconds({ ms }: Wait): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function stretch({ from, until }: Wait): string {
  return `from ${instant(from)} to ${instant(until)}`;
}

function instant(at: EpochMs): string {
  return new Date(at).toISOString();
}
