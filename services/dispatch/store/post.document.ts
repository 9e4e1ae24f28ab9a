import { Schema } from "mongoose";
import { OPEN_STATES, type Post, UNSENT_STATES } from "../domain/post/post.ts";
import type { Wait, Waited } from "../domain/post/wait.ts";

/** Settled posts are kept this long after their event or their outcome, whichever is later. */
const KEPT_MS = 30 * 86_400_000;

const INSTANTS = ["startsAt", "dueAt", "deadline", "wakeAt", "plannedAt", "doubtSince", "settledAt"] as const;
type Instant = (typeof INSTANTS)[number];

/** A post as stored: its id as `_id`, its instants as dates. */
export type PostRow = Omit<Post, Instant | "id"> & {
  readonly _id: string;
  readonly expiresAt?: Date;
  readonly step?: object;
} & {
  readonly [Field in Instant]?: Date;
};

const waitedPaths = {
  until: Number,
  waits: [
    {
      cause: String,
      from: Number,
      until: Number,
      detail: String,
      ms: Number,
      isOutage: Boolean,
      sink: String,
      _id: false,
    },
  ],
};

export const postSchema = new Schema<PostRow>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    announcementId: { type: String, required: true },
    occurrenceId: { type: String, required: true },
    startsAt: { type: Date, required: true },
    sink: { type: String, required: true },
    round: { type: Number, required: true },
    channel: String,
    dueAt: { type: Date, required: true },
    deadline: { type: Date, required: true },
    state: { type: String, required: true },
    planRevision: { type: Number, required: true },
    fence: { type: Number, required: true },
    wakeAt: { type: Date, required: true },
    plannedAt: Date,
    waited: { type: waitedPaths, _id: false },
    attempts: Number,
    crashes: Number,
    delivered: { type: [String], required: true },
    parts: Number,
    announcementRevision: Number,
    changedBy: Object,
    suspends: Number,
    standsFor: Number,
    owner: String,
    attemptId: String,
    doubtSince: Date,
    reason: String,
    settledAt: Date,
    lateMs: Number,
    messageId: String,
    expiresAt: Date,
    /** Marks the last step, see batched-compare-and-set.store.ts. */
    step: Schema.Types.ObjectId,
  },
  { collection: "posts", versionKey: false },
);

/** What wakes next. Only open posts are in it: its size is the plan's, not the history's. */
postSchema.index({ wakeAt: 1 }, { partialFilterExpression: { state: { $in: [...OPEN_STATES] } } });
/** A guild's plan. */
postSchema.index({ guildId: 1, dueAt: 1 }, { partialFilterExpression: { state: { $in: [...OPEN_STATES] } } });
postSchema.index({ guildId: 1, occurrenceId: 1 });
/** A guild's history, whole or of one announcement: what is settled alone, as every index costs every write. */
const SETTLED = { partialFilterExpression: { settledAt: { $exists: true } } };
postSchema.index({ guildId: 1, settledAt: -1 }, { name: "history", ...SETTLED });
postSchema.index({ guildId: 1, announcementId: 1, settledAt: -1 }, { name: "history of announcement", ...SETTLED });
/** What was called off or skipped: the latest of it is kept. */
postSchema.index(
  { guildId: 1, settledAt: -1 },
  { name: "unsent", partialFilterExpression: { state: { $in: [...UNSENT_STATES] } } },
);
/** What suspends an announcement, and what stands for all that it skips. */
postSchema.index({ guildId: 1, announcementId: 1 }, { partialFilterExpression: { suspends: { $exists: true } } });
postSchema.index(
  { guildId: 1, settledAt: -1 },
  { name: "common rows", partialFilterExpression: { standsFor: { $exists: true } } },
);
postSchema.index({ expiresAt: 1 }, { name: "expiry", sparse: true, expireAfterSeconds: 0 });

export function rowOf({ id, ...post }: Post): PostRow {
  const row: Record<string, unknown> = { _id: id, ...post, ...expiryOf(post) };
  for (const field of INSTANTS) if (post[field] !== undefined) row[field] = new Date(post[field]);
  return row as unknown as PostRow;
}

export function postOf({ _id, expiresAt: _expiresAt, step: _step, ...row }: PostRow): Post {
  const post: Record<string, unknown> = { ...row, id: _id };
  for (const field of INSTANTS) if (row[field] !== undefined) post[field] = row[field].getTime();
  return post as unknown as Post;
}

/** BSON has no undefined: what is not there would be stored as null. */
export function storedWaited({ until, waits }: Waited): Waited {
  const stored = waits.map((wait) =>
    Object.fromEntries(Object.entries(wait).filter(([, value]) => value !== undefined)),
  );
  return { until, waits: stored as unknown as Wait[] };
}

/** Only a settled post expires. */
export function expiryOf({
  settledAt,
  startsAt,
}: {
  readonly settledAt?: number | undefined;
  readonly startsAt: number;
}): { expiresAt?: Date } {
  return settledAt === undefined ? {} : { expiresAt: new Date(Math.max(settledAt, startsAt) + KEPT_MS) };
}

/** A change of some fields, in the form in which they are stored. */
export function fieldsOf(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(changes)) {
    const isInstant = INSTANTS.some((instant) => instant === name) && typeof value === "number";
    fields[name] = isInstant ? new Date(value) : value;
  }
  return fields;
}
