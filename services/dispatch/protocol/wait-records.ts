import { LRUCache } from "lru-cache";
import type { LateCode } from "../../contracts/dispatch.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { LATE_WITH_REASON_MS, lateReason } from "../domain/post/late-reason.ts";
import type { Post } from "../domain/post/post.ts";
import { causeOfRetry, type Lap, type Outage, type Waited, waitsOf } from "../domain/post/wait.ts";
import type { Clock } from "./ports.ts";

/** What one post has waited for since it was due, stretch by stretch. */
export interface WaitRecord {
  /** The time since the last call went by with this, up to `until`. */
  spent(cause: LateCode, until: EpochMs, detail?: string): void;
  /** The next `ms` of the time up to `now` went by with this. */
  spentFor(cause: LateCode, ms: number, now: EpochMs): void;
}

/** What this replica knows of the waits of the posts that it holds; what other replicas knew is in the rows. */
export interface WaitRecords {
  of(post: Post): WaitRecord;
  /** How its time went by until its turn: `foundAt` is when this replica saw it first, `now` when its turn came. */
  taken(post: Post, turn: { readonly foundAt: EpochMs; readonly readyAt: EpochMs; readonly rank: number }): void;
  /** The time since the last call went by with this, up to now. */
  spent(post: Post, cause: LateCode, detail?: string): void;
  /** For the row, where another replica may have to go on with it. */
  waited(post: Post): Waited;
  /** Why it is sent so late; undefined when it is not late. */
  lateReason(post: Post): string | undefined;
  /** Why it could not be sent, however short its time was. */
  missedReason(post: Post): string;
  /** It is settled. */
  forget(post: Post): void;
}

interface Kept {
  readonly dueAt: EpochMs;
  readonly before: Waited | undefined;
  readonly laps: Lap[];
  until: EpochMs;
}

/**
 * More than these are those of posts that other replicas have settled. By size, since with `max` the library makes its
 * tables at their full length at once.
 */
const BOUND = { maxSize: 50_000, sizeCalculation: () => 1 };

/** @param outages - The stretches that are known now in which something was missing for every post of the sink. */
export function newWaitRecords(clock: Clock, outages: (post: Post) => readonly Outage[]): WaitRecords {
  const records = new LRUCache<string, Kept>(BOUND);

  /** The one of this replica goes on, unless the row was re-timed, or another replica knows more. */
  function recordOf({ id, dueAt, waited }: Post): Kept {
    const known = records.get(id);
    if (known !== undefined && known.dueAt === dueAt && known.until >= (waited?.until ?? 0)) return known;
    const before = waited !== undefined && waited.until > dueAt ? waited : undefined;
    const record: Kept = { dueAt, before, laps: [], until: before?.until ?? dueAt };
    records.set(id, record);
    return record;
  }

  function spentUntil(record: Kept, cause: LateCode, until: EpochMs, detail?: string): void {
    if (until <= record.until) return;
    record.laps.push({ cause, from: record.until, until, detail });
    record.until = until;
  }

  function waits(post: Post, record: Kept) {
    return waitsOf(record.laps, outages(post), record.before?.waits);
  }

  return {
    of(post) {
      const record = recordOf(post);
      return {
        spent: (cause, until, detail) => spentUntil(record, cause, until, detail),
        spentFor: (cause, ms, now) => spentUntil(record, cause, Math.min(now, record.until + ms)),
      };
    },

    taken(post, { foundAt, readyAt, rank }) {
      const record = recordOf(post);
      const { plannedAt = 0, attempts, owner, reason, state } = post;
      spentUntil(record, "PLANNED_LATE", plannedAt);
      if (state === "sending" && owner !== undefined) spentUntil(record, "WORKER_VANISHED", post.wakeAt);
      else if (attempts > 0) spentUntil(record, causeOfRetry(reason), post.wakeAt, reason);
      spentUntil(record, plannedAt > post.dueAt && attempts === 0 ? "PLANNED_LATE" : "NOT_TAKEN_UP", foundAt);
      if (rank > 0) spentUntil(record, "OTHER_REPLICA", readyAt);
      spentUntil(record, "NOT_TAKEN_UP", clock.now());
    },

    spent: (post, cause, detail) => spentUntil(recordOf(post), cause, clock.now(), detail),

    waited(post) {
      const record = recordOf(post);
      return { until: record.until, waits: waits(post, record) };
    },

    lateReason(post) {
      if (clock.now() - post.dueAt <= LATE_WITH_REASON_MS) return undefined;
      return lateReason(waits(post, recordOf(post))) ?? post.reason;
    },

    missedReason: (post) =>
      lateReason(waits(post, recordOf(post))) ?? post.reason ?? "nothing could post it before its deadline",

    forget: ({ id }) => void records.delete(id),
  };
}
