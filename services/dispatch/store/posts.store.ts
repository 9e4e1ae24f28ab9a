import type { Connection } from "mongoose";
import { batchedFind } from "../../../mixins/mongo/batched-find.ts";
import { findRows, type FindCommand, streamRows } from "../../../mixins/mongo/find-command.ts";
import { MAX_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import type { SettledPost, UpcomingPost } from "../../contracts/dispatch.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { settledOf, upcomingPosts } from "../domain/post/post-views.ts";
import { isAnnounced, isOpen, OPEN_STATES, type Post, postId } from "../domain/post/post.ts";
import { type FeedMarkRow, feedMarkSchema, type SinkRow, sinkSchema } from "./guild-plan.document.ts";
import { type HeartbeatRow, heartbeatSchema, outageOf } from "./heartbeat.document.ts";
import { plansStore } from "./plans.store.ts";
import { expiryOf, fieldsOf, postOf, type PostRow, postSchema, storedWaited } from "./post.document.ts";
import type { PostStore, PostWrite } from "../protocol/post-store.ts";
import { type Change, batchedSteps } from "./batched-compare-and-set.store.ts";

/** What dispatch answers about its posts, beside what the protocol needs. */
export interface PostsStore extends PostStore {
  /** How many open posts there are, or wake before an instant; counts up to `limit`. */
  countOpen(wakesBefore: EpochMs | undefined, limit: number): Promise<number>;
  /** At most `amount`, and at most MAX_ENTRIES; −1 for so many. */
  listUpcoming(guildId: GuildId, amount: number): Promise<UpcomingPost[]>;
  /** @param amount - From 0. */
  listHistory(guildId: GuildId, amount: number, announcementId?: string): Promise<SettledPost[]>;
}

/** Of the next seconds' posts: thousands decoded at a stretch would hold up those that are due meanwhile. */
const AT_A_TIME = 100;
/** What somebody waits for, claims above all: less than a command takes, and fewer commands are less to do. */
const AWAITED_GATHER_MS = 3;
/** Outcomes that come within so long of each other are written together. */
const GATHER_MS = 25;
const OPEN = { $in: [...OPEN_STATES] };
const MAX_OUTAGES = 20;
/** How many sinks there are. */
const SINKS = 3;

/** The plan and ledger in MongoDB. Every step is one compare-and-set on one row, by the database server's clock. */
export function postsStore(connection: Connection): PostsStore {
  const posts = connection.model<PostRow>("Post", postSchema);
  const marks = connection.model<FeedMarkRow>("FeedMark", feedMarkSchema);
  const heartbeats = connection.model<HeartbeatRow>("Heartbeat", heartbeatSchema);
  const sinks = connection.model<SinkRow>("Sink", sinkSchema);

  const take = batchedSteps<PostRow>(posts, AWAITED_GATHER_MS);
  /** Nobody waits for outcomes, and the lease covers them. */
  const takeLater = batchedSteps<PostRow>(posts, GATHER_MS);

  /** A replica that looks after another's looks at many at once. */
  const current = batchedFind(posts, {});

  /** One step of one row, or null when the row is not as it had to be. */
  async function step(id: string, from: object, computed: object): Promise<Post | null> {
    const row = await take({ id, from, change: { computed } });
    return row === null || row === "done" ? null : postOf(row);
  }

  async function list(filter: object, sort: Record<string, 1 | -1> = {}, limit = 0): Promise<Post[]> {
    return (await findRows<PostRow>(posts, { filter, sort, limit })).map(postOf);
  }

  /** Of rows that may be many: between two batches others have their turn. */
  async function streamed(read: FindCommand): Promise<Post[]> {
    const found: Post[] = [];
    for await (const row of streamRows<PostRow>(posts, { ...read, batchSize: AT_A_TIME })) found.push(postOf(row));
    return found;
  }

  return {
    ...plansStore(connection),

    async standingPosts(guildId, limit) {
      const open = await streamed({ filter: { guildId, state: OPEN }, sort: { dueAt: 1, _id: 1 }, limit });
      return [...open, ...(await list({ guildId, suspends: { $exists: true } }, { settledAt: -1 }, limit))];
    },

    async postsOf(guildId, occurrenceIds) {
      const latest = new Map<string, Post>();
      const filter = { guildId, occurrenceId: { $in: [...occurrenceIds] } };
      const kept: Post[] = [];
      // Of a guild whose people call off and ask again there may be any number of rounds: two of a key are never kept.
      for await (const row of streamRows<PostRow>(posts, { filter, batchSize: AT_A_TIME })) {
        const post = postOf(row);
        if (isOpen(post) || isAnnounced(post) || post.suspends !== undefined) kept.push(post);
        const key = postId(post, 0);
        if (post.round > (latest.get(key)?.round ?? 0)) latest.set(key, post);
      }
      return [...new Set([...kept, ...latest.values()])];
    },

    async waking(from, before, limit) {
      const filter = { state: OPEN, wakeAt: { $gte: new Date(from), $lt: new Date(before) } };
      return streamed({ filter, sort: { wakeAt: 1 }, limit });
    },

    async find(id) {
      const row = await current(id);
      return row === null ? null : postOf(row);
    },

    async claim({ post, asOf, notAfter, parts, announcementRevision, waited, changedBy, ...claim }) {
      const { id, fence, planRevision } = post;
      const rejectIfLate = { $and: [{ $gte: ["$$NOW", "$dueAt"] }, { $lte: ["$$NOW", new Date(notAfter)] }] };
      const taken = {
        ...lease(claim),
        state: "sending",
        parts,
        announcementRevision,
        doubtSince: "$$NOW",
        delivered: [],
        ...(waited !== undefined && { waited: { $literal: storedWaited(waited) } }),
        ...(changedBy !== undefined && { changedBy: { $literal: changedBy } }),
      };
      const from = { state: "planned", fence, planRevision, $expr: rejectIfLate };
      const row = await take({ id, from, change: { computed: taken }, isKnown: true });
      if (row !== "done") return row === null ? null : postOf(row);
      const { owner, attemptId, leaseMs } = claim;
      const held = {
        owner,
        attemptId,
        wakeAt: asOf + leaseMs,
        doubtSince: asOf,
        parts,
        announcementRevision,
        ...(waited && { waited }),
        ...(changedBy && { changedBy }),
      };
      return { ...post, ...held, state: "sending", fence: fence + 1, attempts: post.attempts + 1, delivered: [] };
    },

    takeOver({ id, fence, ...claim }) {
      const over = { $gte: ["$$NOW", "$wakeAt"] };
      const vanished = { $cond: [{ $eq: [{ $type: "$owner" }, "string"] }, 1, 0] };
      const taken = { ...lease(claim), crashes: { $add: ["$crashes", vanished] } };
      return step(id, { state: "sending", fence, $expr: over }, taken);
    },

    hold: (id, fence, leaseMs, delivered) =>
      step(
        id,
        { state: "sending", fence },
        { wakeAt: { $add: ["$$NOW", leaseMs] }, delivered: { $literal: delivered } },
      ),

    async write(post, write) {
      const { id, startsAt, fence, state, planRevision } = post;
      // State, fence and plan revision stand for all that matters in the row.
      const change = changeOf(startsAt, write);
      const done = await takeLater({ id, from: { fence, state, planRevision }, change, isKnown: true });
      return done === null ? null : written(post, write);
    },

    async switchOnSinks(names) {
      const isFirst = (await sinks.findOne({}, { _id: 1 }).lean()) === null;
      await sinks.deleteMany({ _id: { $nin: [...names] } });
      const since = { $ifNull: ["$since", isFirst ? new Date(0) : "$$NOW"] };
      const writes = names.map((name) => ({
        updateOne: { filter: { _id: name }, update: [{ $set: { since } }], upsert: true },
      }));
      await sinks.bulkWrite(writes);
      const rows = await sinks.find({ _id: { $in: [...names] } }).lean<SinkRow[]>();
      return Object.fromEntries(rows.map((row) => [row._id, row.since.getTime()]));
    },

    async marks() {
      const rows = await marks.find().lean<FeedMarkRow[]>();
      return Object.fromEntries(rows.map(({ _id, at, id }) => [_id, { at, id }]));
    },

    async saveMark(feed, { at, id }) {
      const older = { $or: [{ at: { $lt: at } }, { at, id: { $lt: id } }] };
      await marks.updateOne({ _id: feed }, { $setOnInsert: { at, id } }, { upsert: true });
      await marks.updateOne({ _id: feed, ...older }, { at, id });
    },

    async beat(awakeSince, gapMs) {
      const missing = { $subtract: ["$$NOW", "$beatAt"] };
      const ranOn = { $lte: [new Date(awakeSince), "$beatAt"] };
      const outage = { from: "$beatAt", until: "$$NOW", isDatabases: ranOn };
      const longer = { $slice: [{ $concatArrays: ["$outages", [outage]] }, -MAX_OUTAGES] };
      const outages = { $cond: [{ $gt: [missing, gapMs] }, longer, { $ifNull: ["$outages", []] }] };
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
      const most = amount === -1 ? MAX_ENTRIES : Math.min(amount, MAX_ENTRIES);
      // Each sink has its own row of a post.
      return upcomingPosts(await list({ guildId, state: OPEN }, { dueAt: 1, _id: 1 }, most * SINKS), most);
    },

    async listHistory(guildId, amount, announcementId) {
      if (amount === 0) return [];
      const one = announcementId === undefined ? {} : { announcementId };
      const query = { guildId, settledAt: { $exists: true }, ...one };
      const rows = await list(query, { settledAt: -1, _id: 1 }, amount);
      return rows.filter((row) => !isOpen(row)).map(settledOf);
    },
  };
}

/** A new holder: the fence rises, and the lease begins now. Its texts are literals, never expressions. */
function lease({ owner, attemptId, leaseMs }: { owner: string; attemptId: string; leaseMs: number }): object {
  return {
    fence: { $add: ["$fence", 1] },
    attempts: { $add: ["$attempts", 1] },
    owner: { $literal: owner },
    attemptId: { $literal: attemptId },
    wakeAt: { $add: ["$$NOW", leaseMs] },
  };
}

/** The post as the write leaves it. */
function written(post: Post, write: PostWrite): Post {
  const fields = Object.entries({ ...post, ...write }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as unknown as Post;
}

function changeOf(startsAt: EpochMs, write: PostWrite): Change {
  const waited = write.waited && { waited: storedWaited(write.waited) };
  const given = Object.entries({
    ...fieldsOf({ ...write, ...waited }),
    ...expiryOf({ startsAt, settledAt: write.settledAt }),
  });
  return {
    set: Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    unset: given.filter(([, value]) => value === undefined).map(([name]) => name),
  };
}
