import { LATE_CODES, type LateCode } from "../../../contracts/dispatch.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Wait } from "./wait.ts";

/** A post that is sent later than this after its due instant has a reason (D44). */
export const LATE_WITH_REASON_MS = 5_000;
/** Shorter waits are named only if there is no longer one. */
const MIN_NAMED_MS = 1_000;
const MAX_NAMED = 3;

interface Sentence {
  /** Every sentence of this cause begins with it, and no other reason does. */
  readonly prefix: string;
  readonly text: (wait: Wait) => string;
}

const SENTENCES: Readonly<Record<LateCode, Sentence>> = {
  RESTORED: {
    prefix: "the data were restored from a backup",
    text: (wait) => `the data were restored from a backup without the outcomes ${timeRange(wait)}`,
  },
  DISPATCH_DOWN: {
    prefix: "dispatch was not running",
    text: (wait) => `dispatch was not running ${timeRange(wait)}`,
  },
  PROCESS_STALLED: {
    prefix: "the process of dispatch stood still",
    text: (wait) => `the process of dispatch stood still ${timeRange(wait)}`,
  },
  DATABASE: {
    prefix: "the database",
    text: (wait) =>
      wait.isOutage === true
        ? `the database was out of reach ${timeRange(wait)}`
        : `the database took ${seconds(wait)} to respond`,
  },
  SINK_HALTED: {
    prefix: "nothing could be sent through the sink",
    text: (wait) => `nothing could be sent through the sink ${timeRange(wait)}: ${wait.detail}`,
  },
  PLANNED_LATE: {
    prefix: "it was planned late",
    text: (wait) => `it was planned late: its change was planned ${seconds(wait)} after it was stored`,
  },
  GUILD_LIMIT: {
    prefix: "the guild's limit of open posts",
    text: (wait) => `the guild's limit of open posts delayed it by ${seconds(wait)}`,
  },
  NOT_TAKEN_UP: {
    prefix: "no replica took it up",
    text: (wait) =>
      `no replica took it up for ${seconds(wait)}: other posts were due before it, or the load was too high`,
  },
  OTHER_REPLICA: {
    prefix: "another replica was to send it",
    text: (wait) => `another replica was to send it, and did not for ${seconds(wait)}`,
  },
  WORKER_VANISHED: {
    prefix: "its worker vanished",
    text: (wait) => `its worker vanished while it was sending, and had a lease until ${instant(wait.until)}`,
  },
  ATTEMPT_FAILED: {
    prefix: "sending it failed",
    text: (wait) =>
      `sending it failed, and the pauses between attempts took ${seconds(wait)}; the last error: ${wait.detail}`,
  },
  OWNERS_SILENT: {
    prefix: "the owners of its event",
    text: (wait) => `the owners of its event and announcement did not respond for ${seconds(wait)}`,
  },
  RECEIVER_LIMIT: {
    prefix: "the receiver's limits",
    text: (wait) => `the receiver's limits delayed it by ${seconds(wait)}`,
  },
  CHANNEL_LIMIT: {
    prefix: "the receiver's limit for its channel",
    text: (wait) => `the receiver's limit for its channel delayed it by ${seconds(wait)}`,
  },
  CHANNEL_QUEUE: {
    prefix: "other posts of its channel",
    text: (wait) => `other posts of its channel were sent before it for ${seconds(wait)}`,
  },
  SINK_BUDGET: {
    prefix: "the sink's requests per second",
    text: (wait) => `the sink's requests per second were used up by other posts for ${seconds(wait)}`,
  },
  SINK_QUEUE: {
    prefix: "other posts of its sink",
    text: (wait) => `other posts of its sink were being sent for ${seconds(wait)}`,
  },
  RECEIVER_SLOW: {
    prefix: "the receiver took",
    text: (wait) => `the receiver took ${seconds(wait)} to respond`,
  },
};

/**
 * Why a post is late: the first wait, and up to two more of at least a second. Undefined without waits.
 *
 * @param waits - In the order of `mergeWaits`.
 */
export function lateReason(waits: readonly Wait[]): string | undefined {
  const named = waits.filter(({ ms }, index) => index === 0 || ms >= MIN_NAMED_MS).slice(0, MAX_NAMED);
  if (named.length === 0) return undefined;
  return named.map((wait) => SENTENCES[wait.cause].text(wait)).join("; ");
}

/** The first cause that a reason names; undefined if the reason names none. */
export function causeOfReason(reason: string): LateCode | undefined {
  return LATE_CODES.find((cause) => reason.startsWith(SENTENCES[cause].prefix));
}

function seconds({ ms }: Wait): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function timeRange({ from, until }: Wait): string {
  return `from ${instant(from)} to ${instant(until)}`;
}

function instant(at: EpochMs): string {
  return new Date(at).toISOString();
}
