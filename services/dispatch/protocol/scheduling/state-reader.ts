import { dateOfDigest } from "../../../contracts/announcement-digests.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { DateText, EpochMs } from "../../../contracts/ids.ts";
import { digestParams, type Occurrence } from "../../../contracts/occurrences.contract.ts";
import { canBeRendered, type CurrentState } from "../../domain/plan/current-state.ts";
import type { Post } from "../../domain/post/post.ts";
import type { ChangeFeedConsumer } from "../planning/change-feed-consumer.ts";
import { lastKnownState } from "../planning/plan-sources.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

export interface StateSnapshot {
  readonly state: CurrentState;
  /** A claim that is applied later is void. */
  readonly validUntil: EpochMs;
}

export interface StateReader {
  /** The current state; undefined if the owners are silent and the plan may not be used in its place. */
  read(post: Post): Promise<StateSnapshot | undefined>;
  /** Requests the state of posts that are soon due; `read` uses the response while it is fresh. */
  prefetch(posts: readonly Post[]): void;
}

interface PrefetchedState {
  readonly requestedAt: EpochMs;
  readonly state: Promise<CurrentState>;
}

/** Failed reads count as one period of silence if they are no further apart, and none of them took longer. */
const MAX_ATTEMPT_GAP_MS = 3_000;

/**
 * Reads the current state from the owners. While they are silent the stored plan takes its place in two cases: the bus is
 * down, so no change can come in; or the owners have been silent for a while, and the feeds confirmed the plan shortly
 * before.
 */
export function newStateReader(ports: Ports, timing: Timing, changeFeeds: ChangeFeedConsumer): StateReader {
  const { owners, clock, store } = ports;
  let silentSince: EpochMs | undefined;
  let triedAt = -Infinity;
  /** By post and plan: a state that was requested for an older plan is not used for a newer one. */
  const prefetched = new Map<string, PrefetchedState>();

  async function requestState({ guildId, announcementId, occurrenceId }: Post): Promise<CurrentState> {
    const date = dateOfDigest(occurrenceId);
    const reading = owners.announcement(guildId, announcementId);
    const [announcement, occurrence, settings] = await Promise.all([
      reading,
      date === undefined ? owners.occurrence(guildId, occurrenceId) : reading.then((found) => digestOf(found, date)),
      owners.settings(guildId),
    ]);
    const skipOn = announcement?.skipOn;
    if (skipOn === undefined || occurrence === null) return { announcement, occurrence, settings };
    // The occurrence and its holiday are one state of their owner.
    return { announcement, occurrence: await owners.occurrence(guildId, occurrenceId, skipOn), settings };
  }

  /** The digest of a date, by the present rule of its announcement. */
  async function digestOf(announcement: Announcement | null, date: DateText): Promise<Occurrence | null> {
    const params = announcement === null ? undefined : digestParams(announcement, date);
    return params === undefined ? null : owners.digest(params);
  }

  async function mayUsePlan({ guildId }: Post, requestedAt: EpochMs, now: EpochMs): Promise<boolean> {
    if (!owners.isReachable()) return true;
    const isSilent = silentSince !== undefined && requestedAt - silentSince >= timing.ownersSilentMs;
    if (!isSilent || now - changeFeeds.confirmedAt() > timing.planConfirmedMs) return false;
    // A confirmed change may be a request for a plan, which is not made yet.
    return (await store.guildPlan(guildId)).requests === undefined;
  }

  async function plannedState(post: Post, requestedAt: EpochMs): Promise<StateSnapshot | undefined> {
    const now = clock.now();
    if (!(await mayUsePlan(post, requestedAt, now))) return undefined;
    const state = await lastKnownState(store, post);
    return state && canBeRendered(state) ? { state, validUntil: now + timing.stateMaxAgeMs } : undefined;
  }

  /** Takes the prefetched state if it stays valid long enough for a claim, or requests it. */
  function takePrefetched(post: Post): PrefetchedState {
    const early = prefetched.get(keyOf(post));
    prefetched.delete(keyOf(post));
    const now = clock.now();
    return early !== undefined && now - early.requestedAt <= timing.stateMaxAgeMs / 2
      ? early
      : { requestedAt: now, state: requestState(post) };
  }

  return {
    prefetch(posts) {
      const requestedAt = clock.now();
      // Posts that were cancelled meanwhile are never read.
      for (const [key, early] of prefetched) {
        if (requestedAt - early.requestedAt > timing.stateMaxAgeMs) prefetched.delete(key);
      }
      if (!owners.isReachable()) return;
      for (const post of posts) {
        const state = requestState(post);
        // `read` handles the failure.
        state.catch(() => undefined);
        prefetched.set(keyOf(post), { requestedAt, state });
      }
    },

    async read(post) {
      const now = clock.now();
      // A request would only wait for its timeout.
      if (!owners.isReachable()) return plannedState(post, now);
      const { requestedAt, state: requested } = takePrefetched(post);
      try {
        const state = await requested;
        silentSince = undefined;
        return { state, validUntil: requestedAt + timing.stateMaxAgeMs };
      } catch {
        // After a pause of this process, or without requests, nothing is known of the time between: the silence starts now.
        const failedAt = clock.now();
        const wasPaused = failedAt - requestedAt > MAX_ATTEMPT_GAP_MS;
        if (wasPaused || requestedAt - triedAt > MAX_ATTEMPT_GAP_MS) silentSince = undefined;
        silentSince ??= wasPaused ? failedAt : requestedAt;
        triedAt = Math.max(triedAt, requestedAt);
        return plannedState(post, requestedAt);
      }
    },
  };
}

function keyOf({ id, planRevision, fence }: Post): string {
  return `${id} ${planRevision} ${fence}`;
}
