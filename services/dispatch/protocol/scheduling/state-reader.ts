import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { PostTruth } from "../../domain/plan/current-state.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Follower } from "../planning/change-feed-consumer.ts";
import type { Ports } from "../ports.ts";
import { recall } from "../planning/plan-sources.ts";
import type { Timing } from "../timing.ts";

/** What the owners say about a post. */
export interface Answer {
  readonly truth: PostTruth;
  /** A claim that rests on it is void when it is applied later. */
  readonly validUntil: EpochMs;
}

export interface Questions {
  /** The truth as it is now; undefined when the owners are silent and the plan may not stand in for them. */
  askAbout(post: Post): Promise<Answer | undefined>;
  /** Asks about posts that are due in a moment; `askAbout` takes the answer while it is young enough. */
  foresee(posts: readonly Post[]): void;
}

/** An answer that was got early, or is still on its way. */
interface Foreseen {
  readonly askedAt: EpochMs;
  readonly truth: Promise<PostTruth>;
}

/** Two questions that are further apart say nothing about the time between. */
const LISTENING_MS = 3_000;

/**
 * Asks the owners. While they are silent the plan stands in, when the bus itself is down, so that no edit can come
 * in either, or when they have been silent for a while and the feeds had confirmed the plan shortly before.
 */
export function newQuestions(
  ports: Ports,
  timing: Timing,
  follower: Follower,
  isBehind: (guildId: GuildId) => boolean,
): Questions {
  const { owners, clock, store } = ports;
  let silentSince: EpochMs | undefined;
  let triedAt = -Infinity;
  /** By post and plan: what was asked for an older plan says nothing about a newer. */
  const foreseen = new Map<string, Foreseen>();

  async function ask({ guildId, announcementId, occurrenceId }: Post): Promise<PostTruth> {
    const [announcement, occurrence, settings] = await Promise.all([
      owners.announcement(guildId, announcementId),
      owners.occurrence(guildId, occurrenceId),
      owners.settings(guildId),
    ]);
    return { announcement, occurrence, settings };
  }

  function planStands({ guildId }: Post, askedAt: EpochMs, now: EpochMs): boolean {
    if (!owners.reachable()) return true;
    if (isBehind(guildId)) return false;
    const silent = silentSince !== undefined && askedAt - silentSince >= timing.silenceMs;
    return silent && now - follower.confirmedAt() <= timing.confirmedMs;
  }

  async function lastSeen(post: Post, askedAt: EpochMs): Promise<Answer | undefined> {
    const now = clock.now();
    if (!planStands(post, askedAt, now)) return undefined;
    const truth = await recall(store, post);
    return truth && { truth, validUntil: now + timing.truthFreshMs };
  }

  /** The early answer, when the rest of its time is enough for a claim; otherwise a new one. */
  function question(post: Post): Foreseen {
    const early = foreseen.get(keyOf(post));
    foreseen.delete(keyOf(post));
    const now = clock.now();
    return early !== undefined && now - early.askedAt <= timing.truthFreshMs / 2
      ? early
      : { askedAt: now, truth: ask(post) };
  }

  return {
    foresee(posts) {
      const askedAt = clock.now();
      // Those that were called off meanwhile are never asked about.
      for (const [key, early] of foreseen) if (askedAt - early.askedAt > timing.truthFreshMs) foreseen.delete(key);
      if (!owners.reachable()) return;
      for (const post of posts) {
        const truth = ask(post);
        // Who takes it sees the failure, and asks again.
        truth.catch(() => undefined);
        foreseen.set(keyOf(post), { askedAt, truth });
      }
    },

    async askAbout(post) {
      const now = clock.now();
      // A question would only wait for its time-out.
      if (!owners.reachable()) return lastSeen(post, now);
      const { askedAt, truth: answer } = question(post);
      try {
        const truth = await answer;
        silentSince = undefined;
        return { truth, validUntil: askedAt + timing.truthFreshMs };
      } catch {
        // Silence counts while somebody listens: a process that was frozen, or had nothing to ask, begins anew.
        if (askedAt - triedAt > LISTENING_MS) silentSince = undefined;
        silentSince ??= askedAt;
        triedAt = Math.max(triedAt, askedAt);
        return lastSeen(post, askedAt);
      }
    },
  };
}

function keyOf({ id, planRevision, fence }: Post): string {
  return `${id} ${planRevision} ${fence}`;
}
