import { MAX_UNSENT_KEPT, MAX_OPEN_POSTS } from "../domain/plan/plan-input.ts";

/** The times of the protocol, in milliseconds, with their reasons; and the numbers that bound its work. */
export interface Timing {
  /** How late a post may be (D30). */
  readonly graceMs: number;
  /** How far ahead posts are planned. */
  readonly horizonMs: number;
  /** How often the owners' change feeds are read: bounds the latency when every broadcast is lost. */
  readonly feedEveryMs: number;
  /** How often the guilds whose plan runs out are looked for. */
  readonly sweepEveryMs: number;
  /** How often the store is asked what wakes next, and how far ahead: rows of other planners are found by it. */
  readonly lookEveryMs: number;
  readonly lookAheadMs: number;
  /** How often posts are looked for that have been waiting for more than ten seconds, after an outage. */
  readonly lookBackEveryMs: number;
  /** How soon a post is looked at by itself when its work ended without an answer. */
  readonly lookAgainMs: number;
  /** For how long a worker that is gone keeps its post. */
  readonly leaseMs: number;
  /** How long a sink may take. Under the lease, with room for the write that follows. */
  readonly sendTimeoutMs: number;
  /** Politeness: the replica of rank k waits k times this. */
  readonly rankStepMs: number;
  /** The same for what is late and was not begun: a replica that works off an outage is busy, not gone. */
  readonly lateRankStepMs: number;
  /** How old the answer of the owners may be when a claim that rests on it is applied. */
  readonly truthFreshMs: number;
  /** So long before a post is due the owners are asked about it; less than half of `truthFreshMs`. */
  readonly foresightMs: number;
  /** Pause between two tries to reach the owners. */
  readonly askAgainMs: number;
  /** After so long without an answer the plan stands, if it was confirmed by the feeds within `confirmedMs`. */
  readonly silenceMs: number;
  readonly confirmedMs: number;
  /** For how long a receiver surely knows a nonce. */
  readonly nonceWindowMs: number;
  /** How long nothing is sent through a sink that was halted. */
  readonly haltMs: number;
  /** Posts in work at the same time: more would only wait for each other. */
  readonly postsAtOnce: number;
  /** Of one guild at most so many posts are open at a time (D39). */
  readonly maxOpenPosts: number;
  /** The ledger keeps so many of a guild's posts that were called off before they were due, the latest. */
  readonly maxUnsentKept: number;
  /** How often a replica says that it runs; after a longer gap than this, no replica did. */
  readonly heartbeatMs: number;
  readonly heartbeatGapMs: number;
}

/** The times of production; the grace time is an operator's choice. */
export const STANDARD_TIMING: Timing = {
  graceMs: 15 * 60_000,
  horizonMs: 48 * 3_600_000,
  feedEveryMs: 2_000,
  sweepEveryMs: 30_000,
  lookEveryMs: 1_000,
  lookAheadMs: 3_000,
  lookBackEveryMs: 5_000,
  lookAgainMs: 250,
  leaseMs: 6_000,
  sendTimeoutMs: 5_000,
  rankStepMs: 300,
  lateRankStepMs: 10_000,
  truthFreshMs: 900,
  foresightMs: 200,
  askAgainMs: 500,
  silenceMs: 8_000,
  confirmedMs: 60_000,
  nonceWindowMs: 60_000,
  haltMs: 30_000,
  postsAtOnce: 256,
  maxOpenPosts: MAX_OPEN_POSTS,
  maxUnsentKept: MAX_UNSENT_KEPT,
  heartbeatMs: 1_000,
  heartbeatGapMs: 2_500,
};
