import { LRUCache } from "lru-cache";
import type { LateCode } from "../../contracts/dispatch.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { LATE_WITH_REASON_MS, lateReason } from "../domain/post/late-reason.ts";
import type { Post } from "../domain/post/post.ts";
import { mergeWaits, type Outage, retryCause, type WaitInterval, type WaitTotals } from "../domain/post/wait.ts";
import type { Clock } from "./ports.ts";

/** The waits of one post since its due instant. Each call records the time since the call before. */
export interface WaitRecord {
  /** Records the time up to `until`. */
  add(cause: LateCode, until: EpochMs, detail?: string): void;
  /** Records the next `ms`, up to `now` at most. */
  addFor(cause: LateCode, ms: number, now: EpochMs): void;
}

/** The waits of posts as far as this replica knows them; rows have those that other replicas recorded. */
export interface WaitRecords {
  recordOf(post: Post): WaitRecord;
  /** Records the time until the post's turn. `foundAt` is when this replica read the post first. */
  onTurn(post: Post, turn: { readonly foundAt: EpochMs; readonly readyAt: EpochMs; readonly rank: number }): void;
  /** Records the time since the last call, up to now. */
  add(post: Post, cause: LateCode, detail?: string): void;
  /** For the row, so that another replica can continue the record. */
  totals(post: Post): WaitTotals;
  /** Why the post is sent late; undefined if it is not late. */
  lateReason(post: Post): string | undefined;
  /** Why the post was missed, however short its waits were. */
  missedReason(post: Post): string;
  remove(post: Post): void;
}

interface PostWaits {
  readonly dueAt: EpochMs;
  readonly before: WaitTotals | undefined;
  readonly intervals: WaitInterval[];
  until: EpochMs;
}

/**
 * Entries beyond these belong to posts that other replicas have settled. Bounded by size, because with `max` lru-cache allocates
 * its tables at full length.
 */
const CACHE = { maxSize: 50_000, sizeCalculation: () => 1 };

/** @param outages - The known outages that concern the post. */
export function newWaitRecords(clock: Clock, outages: (post: Post) => readonly Outage[]): WaitRecords {
  const records = new LRUCache<string, PostWaits>(CACHE);

  /** This replica's record continues, unless the post moved or the row has later waits of another replica. */
  function waitsOf({ id, dueAt, waited }: Post): PostWaits {
    const known = records.get(id);
    if (known !== undefined && known.dueAt === dueAt && known.until >= (waited?.until ?? 0)) return known;
    const before = waited !== undefined && waited.until > dueAt ? waited : undefined;
    const record: PostWaits = { dueAt, before, intervals: [], until: before?.until ?? dueAt };
    records.set(id, record);
    return record;
  }

  function addUntil(record: PostWaits, cause: LateCode, until: EpochMs, detail?: string): void {
    if (until <= record.until) return;
    record.intervals.push({ cause, from: record.until, until, detail });
    record.until = until;
  }

  function merged(post: Post, record: PostWaits) {
    return mergeWaits(record.intervals, outages(post), record.before?.waits);
  }

  return {
    recordOf(post) {
      const record = waitsOf(post);
      return {
        add: (cause, until, detail) => addUntil(record, cause, until, detail),
        addFor: (cause, ms, now) => addUntil(record, cause, Math.min(now, record.until + ms)),
      };
    },

    onTurn(post, { foundAt, readyAt, rank }) {
      const record = waitsOf(post);
      const { plannedAt = 0, attempts, owner, reason, state } = post;
      const beforePlanned = post.overLimit === true ? "GUILD_LIMIT" : "PLANNED_LATE";
      addUntil(record, beforePlanned, plannedAt);
      if (state === "sending" && owner !== undefined) addUntil(record, "WORKER_VANISHED", post.wakeAt);
      else if (attempts > 0) addUntil(record, retryCause(reason), post.wakeAt, reason);
      addUntil(record, plannedAt > post.dueAt && attempts === 0 ? beforePlanned : "NOT_TAKEN_UP", foundAt);
      if (rank > 0) addUntil(record, "OTHER_REPLICA", readyAt);
      addUntil(record, "NOT_TAKEN_UP", clock.now());
    },

    add: (post, cause, detail) => addUntil(waitsOf(post), cause, clock.now(), detail),

    totals(post) {
      const record = waitsOf(post);
      return { until: record.until, waits: merged(post, record) };
    },

    lateReason(post) {
      if (clock.now() - post.dueAt <= LATE_WITH_REASON_MS) return undefined;
      return lateReason(merged(post, waitsOf(post))) ?? post.reason;
    },

    missedReason: (post) =>
      lateReason(merged(post, waitsOf(post))) ?? post.reason ?? "nothing could post it before its deadline",

    remove: ({ id }) => void records.delete(id),
  };
}
