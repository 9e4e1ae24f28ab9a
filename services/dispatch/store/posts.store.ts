import type { Connection } from "mongoose";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { changedRecords } from "../../../mixins/mongo/changed-records.ts";
import { batchedFind } from "../../../mixins/mongo/batched-find.ts";
import { findRows, type FindCommand, streamRows } from "../../../mixins/mongo/find-command.ts";
import { MAX_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import type { ChangedRecords, ChangedRecordsParams } from "../../contracts/guild-changes.contract.ts";
import type { SettledPost, UpcomingPost } from "../../contracts/dispatch.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { toSettledPost, upcomingPosts } from "../domain/post/post-views.ts";
import { isOpen, mayHaveBeenSent, OPEN_STATES, type Post, postId } from "../domain/post/post.ts";
import { SINK_NAMES } from "../domain/post/sink-name.ts";
import type { PostKey, PostStore, PostWrite } from "../protocol/post-store.ts";
import { batchedCompareAndSet, type Change } from "./batched-compare-and-set.store.ts";
import { type SinkRow, sinkSchema } from "./guild-plan.document.ts";
import { editedPostsStore } from "./edited-posts.store.ts";
import { type HeartbeatRow, heartbeatSchema, outageOf } from "./heartbeat.document.ts";
import { type Ledger, ledgerModels } from "./ledger-models.store.ts";
import { partitionMarksStore } from "./partition-marks.store.ts";
import { plansStore } from "./plans.store.ts";
import { postsByGuild } from "./posts-by-guild.store.ts";
import {
  expiryFields,
  OUTCOMES_INDEX,
  type PostRow,
  RECORDED_NOW,
  toPost,
  toStoredFields,
  toStoredWaits,
} from "./post.document.ts";
import { LATEST_FIRST, settledBehind, type SettledPosition } from "./settled-position.ts";

/** The store with the queries of the service's actions and metrics. */
export interface PostsStore extends PostStore {
  /** Number of open posts, or of those that wake before an instant; counts up to `limit`. */
  countOpen(wakesBefore: EpochMs | undefined, limit: number): Promise<number>;
  /** At most `amount` posts, and at most MAX_ENTRIES; −1 for MAX_ENTRIES. */
  listUpcoming(guildId: GuildId, amount: number): Promise<UpcomingPost[]>;
  /** The guild's settled posts, the latest outcome first; at most `amount`, from 0. */
  listHistory(guildId: GuildId, amount: number, announcementId?: string): Promise<SettledPost[]>;
  /** The posts of a guild whose outcome was stored after a position. */
  listSettled(params: ChangedRecordsParams): Promise<ChangedRecords<SettledPost>>;
  /** The guild's settled posts behind a post, with their ids: the latest outcome first, then in the order of ids. */
  listHistoryBehind(guildId: GuildId, query: SettledQuery): Promise<Post[]>;
}

export interface SettledQuery {
  readonly announcementId: string | undefined;
  readonly behind: SettledPosition | undefined;
  readonly limit: number;
}

/** Thousands of rows that are decoded without a pause would delay posts that are due meanwhile. */
const STREAM_BATCH_SIZE = 100;
/** Batching delay of claims and leases, which posts wait for; shorter than a command. */
const SHORT_GATHER_MS = 3;
/** Batching delay of outcomes. */
const GATHER_MS = 25;
const OPEN = { $in: [...OPEN_STATES] };
const MAX_OUTAGES = 20;
const SINK_COUNT = SINK_NAMES.length;

/** The plan and ledger in MongoDB. Every transition is a compare-and-set of one row, by the database server's clock. */
export function postsStore(connection: Connection, ledger: Ledger = "announcements"): PostsStore {
  const { posts, marks } = ledgerModels(connection, ledger);
  const heartbeats = connection.model<HeartbeatRow>("Heartbeat", heartbeatSchema);
  const sinks = connection.model<SinkRow>("Sink", sinkSchema);

  const applySoon = batchedCompareAndSet<PostRow>(posts, SHORT_GATHER_MS);
  /** No post waits for outcomes, and the lease covers the delay. */
  const applyLater = batchedCompareAndSet<PostRow>(posts, GATHER_MS);

  /** A replica that takes over posts of another replica reads many at once. */
  const findRow = batchedFind(posts, {});

  /** Returns the changed row, or null if the row does not match. */
  async function compareAndSet({ id, guildId }: PostKey, expected: object, computed: object): Promise<Post | null> {
    const row = await applySoon({ id, guildId, expected, change: { computed } });
    return row === null || row === "done" ? null : toPost(row);
  }

  async function list(filter: object, sort: Record<string, 1 | -1> = {}, limit = 0): Promise<Post[]> {
    return (await findRows<PostRow>(posts, { filter, sort, limit })).map(toPost);
  }

  /** For reads of many rows: other work runs between two batches. */
  async function streamed(read: FindCommand): Promise<Post[]> {
    const found: Post[] = [];
    for await (const row of streamRows<PostRow>(posts, { ...read, batchSize: STREAM_BATCH_SIZE }))
      found.push(toPost(row));
    return found;
  }

  return {
    ...plansStore(connection, ledger),
    postsOfGuildsWaking: postsByGuild(connection, ledger),
    ...editedPostsStore(connection, ledger),

    async postsForPlan(guildId, limit) {
      const open = await streamed({ filter: { guildId, state: OPEN }, sort: { dueAt: 1, _id: 1 }, limit });
      const latest = (filter: object) => list({ guildId, ...filter }, { settledAt: -1 }, limit);
      const [suspending, summaries] = await Promise.all([
        latest({ suspends: { $exists: true } }),
        latest({ summaryOf: { $exists: true } }),
      ]);
      return [...open, ...suspending, ...summaries];
    },

    async postsOfPairs(guildId, occurrenceIds, announcementIds) {
      const latest = new Map<string, Post>();
      const filter = {
        guildId,
        occurrenceId: { $in: [...occurrenceIds] },
        // A guild may have created and deleted any number of announcements.
        announcementId: { $in: [...announcementIds] },
      };
      const always: Post[] = [];
      // A key may have any number of rounds, because posts may be cancelled and restored. One round is held at a time.
      for await (const row of streamRows<PostRow>(posts, { filter, batchSize: STREAM_BATCH_SIZE })) {
        const post = toPost(row);
        if (isOpen(post) || mayHaveBeenSent(post) || post.suspends !== undefined) always.push(post);
        const key = postId(post, 0);
        if (post.round > (latest.get(key)?.round ?? 0)) latest.set(key, post);
      }
      return [...new Set([...always, ...latest.values()])];
    },

    async postsWaking(from, before, limit) {
      const wakeAt = { $gte: new Date(from), $lt: new Date(before) };
      const waking = (filter: object) => streamed({ filter: { ...filter, wakeAt }, sort: { wakeAt: 1 }, limit });
      // The messages of notifications are never edited.
      if (ledger === "notifications") return waking({ state: OPEN });
      const [open, steps] = await Promise.all([waking({ state: OPEN }), waking({ stepDue: true })]);
      return [...open, ...steps];
    },

    async find({ id, guildId }) {
      const row = await findRow({ _id: id, guildId });
      return row === null ? null : toPost(row);
    },

    async claim({ post, madeAt, notAfter, parts, announcementRevision, waited, changedBy, message, ...claim }) {
      const { id, guildId, fence, planRevision } = post;
      const rejectIfLate = { $and: [{ $gte: ["$$NOW", "$dueAt"] }, { $lte: ["$$NOW", new Date(notAfter)] }] };
      const taken = {
        ...leaseFields(claim),
        state: "sending",
        parts,
        announcementRevision,
        claimedAt: new Date(madeAt),
        doubtSince: "$$NOW",
        delivered: [],
        ...(waited !== undefined && { waited: { $literal: toStoredWaits(waited) } }),
        ...(changedBy !== undefined && { changedBy: { $literal: changedBy } }),
        ...(message !== undefined && { message: { $literal: definedFields(message) } }),
      };
      const expected = { state: "planned", fence, planRevision, $expr: rejectIfLate };
      const row = await applySoon({ id, guildId, expected, change: { computed: taken }, isKnown: true });
      if (row !== "done") return row === null ? null : toPost(row);
      const { owner, attemptId, leaseMs } = claim;
      const held = {
        owner,
        attemptId,
        wakeAt: madeAt + leaseMs,
        claimedAt: madeAt,
        doubtSince: madeAt,
        parts,
        announcementRevision,
        ...(waited && { waited }),
        ...(changedBy && { changedBy }),
        ...(message && { message }),
      };
      return { ...post, ...held, state: "sending", fence: fence + 1, attempts: post.attempts + 1, delivered: [] };
    },

    takeOver({ id, guildId, fence, state, ...claim }) {
      const expected = state === "sent" ? { state, stepDue: true } : { state };
      const over = { $gte: ["$$NOW", "$wakeAt"] };
      const vanished = { $cond: [{ $eq: [{ $type: "$owner" }, "string"] }, 1, 0] };
      const taken = { ...leaseFields(claim), crashes: { $add: ["$crashes", vanished] } };
      return compareAndSet({ id, guildId }, { ...expected, fence, $expr: over }, taken);
    },

    extendLease: ({ id, guildId, fence, delivered }, leaseMs) =>
      compareAndSet(
        { id, guildId },
        { state: "sending", fence },
        { wakeAt: { $add: ["$$NOW", leaseMs] }, delivered: { $literal: delivered } },
      ),

    async write(post, write) {
      const { id, guildId, fence, state, planRevision } = post;
      // State, fence and plan revision determine all other fields that matter.
      const expected = { fence, state, planRevision };
      const done = await applyLater({ id, guildId, expected, change: toChange(post, write), isKnown: true });
      return done === null ? null : (definedFields({ ...post, ...write }) as Post);
    },

    async enableSinks(names) {
      const isFirst = (await sinks.findOne({}, { _id: 1 }).lean()) === null;
      await sinks.deleteMany({ _id: { $nin: [...names] } });
      const since = { $ifNull: ["$since", isFirst ? new Date(0) : "$$NOW"] };
      const writes = names.map((name) => ({
        updateOne: { filter: { _id: name }, update: [{ $set: { since } }], upsert: true },
      }));
      await sinks.bulkWrite(writes);
      const rows = await sinks.find({ _id: { $in: [...names] } }).lean<SinkRow[]>();
      const heartbeat = await heartbeats.findById("dispatch").lean<HeartbeatRow>();
      return {
        sinksEnabledSince: Object.fromEntries(rows.map((row) => [row._id, row.since.getTime()])),
        restore: heartbeat?.outages.map(outageOf).findLast(({ cause }) => cause === "RESTORED"),
      };
    },

    ...partitionMarksStore(marks),

    async recordHeartbeat(awakeSince, gapMs) {
      const missing = { $subtract: ["$$NOW", "$beatAt"] };
      const ranThrough = { $lte: [new Date(awakeSince), "$beatAt"] };
      const outage = { from: "$beatAt", until: "$$NOW", isDatabases: ranThrough };
      const extended = { $slice: [{ $concatArrays: ["$outages", [outage]] }, -MAX_OUTAGES] };
      const outages = { $cond: [{ $gt: [missing, gapMs] }, extended, { $ifNull: ["$outages", []] }] };
      const firstAt = { $ifNull: ["$firstAt", "$$NOW"] };
      const options = { upsert: true, returnDocument: "after", updatePipeline: true } as const;
      const row = await heartbeats
        .findOneAndUpdate({ _id: "dispatch" }, [{ $set: { outages, firstAt, beatAt: "$$NOW" } }], options)
        .orFail()
        .lean<HeartbeatRow>();
      return { firstAt: row.firstAt.getTime(), outages: row.outages.map(outageOf) };
    },

    countOpen(wakesBefore, limit) {
      const due = wakesBefore === undefined ? {} : { wakeAt: { $lt: new Date(wakesBefore) } };
      return posts.countDocuments({ state: OPEN, ...due } as never, { limit });
    },

    async listUpcoming(guildId, amount) {
      if (amount === 0) return [];
      const limit = amount === -1 ? MAX_ENTRIES : Math.min(amount, MAX_ENTRIES);
      // A post has one row for each sink.
      return upcomingPosts(await list({ guildId, state: OPEN }, { dueAt: 1, _id: 1 }, limit * SINK_COUNT), limit);
    },

    async listHistory(guildId, amount, announcementId) {
      if (amount === 0) return [];
      const one = announcementId === undefined ? {} : { announcementId };
      const query = { guildId, settledAt: { $exists: true }, ...one };
      const rows = await list(query, { settledAt: -1, _id: 1 }, amount);
      return rows.filter((row) => !isOpen(row)).map(toSettledPost);
    },

    listSettled: ({ guildId, ...params }) =>
      changedRecords<PostRow, SettledPost>(
        { model: posts, filter: { guildId }, stamp: "recordedAt", hint: OUTCOMES_INDEX, projection: {} },
        params,
        (rows) => rows.map((row) => toSettledPost(toPost(row))),
      ),
    async listHistoryBehind(guildId, { announcementId, behind, limit }) {
      const one = announcementId === undefined ? {} : { announcementId };
      const query = { guildId, ...settledBehind(behind), ...one, state: { $nin: [...OPEN_STATES] } };
      return list(query, LATEST_FIRST, limit);
    },
  };
}

/** A new lease. `$literal`, because a text that begins with `$` would be an expression. */
function leaseFields({ owner, attemptId, leaseMs }: { owner: string; attemptId: string; leaseMs: number }): object {
  return {
    fence: { $add: ["$fence", 1] },
    attempts: { $add: ["$attempts", 1] },
    owner: { $literal: owner },
    attemptId: { $literal: attemptId },
    wakeAt: { $add: ["$$NOW", leaseMs] },
  };
}

function toChange({ startsAt, settledAt }: Post, write: PostWrite): Change {
  const waited = write.waited && { waited: toStoredWaits(write.waited) };
  const message = write.message && { message: definedFields(write.message) };
  const given = Object.entries({
    ...toStoredFields({ ...write, ...waited, ...message }),
    ...expiryFields({ startsAt, ...(write.message && { settledAt }), ...write }),
  });
  return {
    set: Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    unset: given.filter(([, value]) => value === undefined).map(([name]) => name),
    ...(write.settledAt === undefined ? {} : { operators: RECORDED_NOW }),
  };
}
