import { MAX_UNSENT_POSTS, MAX_OPEN_POSTS } from "../domain/plan/plan-input.ts";
import { MAX_EDITED_MESSAGES } from "../domain/post/message-state.ts";

/** Durations of the protocol in milliseconds, and the bounds of its work. */
export interface Timing {
  /** How late a post may be sent (D30). */
  readonly graceMs: number;
  /** How far ahead posts are planned. */
  readonly horizonMs: number;
  /** Interval between reads of the owners' change feeds: the latency of a change whose broadcast was lost. */
  readonly feedEveryMs: number;
  /** Longest pause between two plans of a guild for which the changes of other guilds wait. */
  readonly maxPlanWaitMs: number;
  /** Interval between searches for guilds that need their next plan. */
  readonly sweepEveryMs: number;
  /** Interval between reads of the posts that wake next, and how far ahead they reach. Other replicas plan posts, too. */
  readonly pollEveryMs: number;
  readonly pollAheadMs: number;
  /** Interval between reads of posts that are over ten seconds late, after an outage. */
  readonly pollLateEveryMs: number;
  /** Delay before a post is read again after its work ended without a known outcome. */
  readonly rereadAfterMs: number;
  /** How long a worker that vanished blocks its post. */
  readonly leaseMs: number;
  /** Timeout of a sink; below the lease, with time for the write that follows. */
  readonly sendTimeoutMs: number;
  /** The replica of rank k waits k times this long. */
  readonly rankStepMs: number;
  /** The same for late posts: after an outage a replica with a lower rank is usually busy, not gone. */
  readonly lateRankStepMs: number;
  /** The replica of rank k for some guilds reads their changes after k times this long without a sign that others do. */
  readonly planTakeoverMs: number;
  /** Maximum age of the owners' responses at the instant at which the claim is applied. */
  readonly stateMaxAgeMs: number;
  /** How long before the due instant the state is prefetched; less than half of `stateMaxAgeMs`. */
  readonly prefetchMs: number;
  /** Interval between attempts to reach the owners. */
  readonly ownerRetryMs: number;
  /** After this long without a response posts are sent by the plan, if the feeds confirmed it within `planConfirmedMs`. */
  readonly ownersSilentMs: number;
  readonly planConfirmedMs: number;
  /** How long a receiver certainly recognises a nonce. */
  readonly nonceWindowMs: number;
  /** How long the circuit breaker of a sink stays open. */
  readonly circuitOpenMs: number;
  /** Number of posts in work at the same time; more would only wait for each other. */
  readonly maxPostsInWork: number;
  /** Number of open posts of one guild (D39). */
  readonly maxOpenPosts: number;
  /** Number of a guild's latest cancelled and skipped posts that stay in the ledger. */
  readonly maxUnsentPosts: number;
  /** Number of messages of one guild that are edited when their events change (D67). */
  readonly maxEditedMessages: number;
  /** Interval between heartbeats; a gap longer than `heartbeatGapMs` means that no replica ran or reached the database. */
  readonly heartbeatMs: number;
  readonly heartbeatGapMs: number;
}

/** The timing of production. An operator chooses the grace time. */
export const STANDARD_TIMING: Timing = {
  graceMs: 15 * 60_000,
  horizonMs: 48 * 3_600_000,
  feedEveryMs: 2_000,
  maxPlanWaitMs: 5_000,
  sweepEveryMs: 30_000,
  pollEveryMs: 1_000,
  pollAheadMs: 3_000,
  pollLateEveryMs: 5_000,
  rereadAfterMs: 250,
  leaseMs: 6_000,
  sendTimeoutMs: 5_000,
  rankStepMs: 300,
  lateRankStepMs: 10_000,
  planTakeoverMs: 30_000,
  stateMaxAgeMs: 900,
  prefetchMs: 200,
  ownerRetryMs: 500,
  ownersSilentMs: 8_000,
  planConfirmedMs: 60_000,
  nonceWindowMs: 60_000,
  circuitOpenMs: 30_000,
  maxPostsInWork: 256,
  maxOpenPosts: MAX_OPEN_POSTS,
  maxUnsentPosts: MAX_UNSENT_POSTS,
  maxEditedMessages: MAX_EDITED_MESSAGES,
  heartbeatMs: 1_000,
  heartbeatGapMs: 2_500,
};
