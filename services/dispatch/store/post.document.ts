import { Schema } from "mongoose";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import type { PostOffset } from "../../contracts/announcement-offsets.ts";
import { MISSED_STATES } from "../../contracts/occurrence-notifications.contract.ts";
import type { MessageStep } from "../../contracts/posted-messages.ts";
import type { MessageState } from "../domain/post/message-state.ts";
import { OPEN_STATES, type Post, UNSENT_STATES } from "../domain/post/post.ts";
import type { Wait, WaitTotals } from "../domain/post/wait.ts";

/** How long settled posts stay after the start of their event or after their outcome, whichever is later. */
const RETENTION_MS = 30 * 86_400_000;

const INSTANTS = [
  "startsAt",
  "endsAt",
  "rescheduledAt",
  "dueAt",
  "deadline",
  "wakeAt",
  "plannedAt",
  "claimedAt",
  "doubtSince",
  "settledAt",
] as const;
type Instant = (typeof INSTANTS)[number];

/** A stored post: its id is `_id`, its instants are dates. */
export type PostRow = Omit<Post, Instant | "id"> & {
  readonly _id: string;
  readonly expiresAt?: Date;
  /** Time at which the outcome was stored, by the database server's clock; `settledAt` is earlier. */
  readonly recordedAt?: Date;
  readonly step?: object;
} & {
  readonly [Field in Instant]?: Date;
};

const messagePaths = {
  occurrenceId: String,
  startsAt: Number,
  endsAt: Number,
  deleteAt: Number,
  deleted: Number,
  until: Number,
  title: String,
  shown: String,
  inDoubt: Boolean,
  state: String,
  edits: Number,
  failures: Number,
  crashes: Number,
} satisfies Record<keyof MessageState, unknown>;

const stepPaths = {
  step: String,
  at: Number,
  reason: String,
  _id: false,
} satisfies Record<keyof MessageStep, unknown> & { readonly _id: false };

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
      _id: false,
    } satisfies Record<keyof Wait | "_id", unknown>,
  ],
} satisfies Record<keyof WaitTotals, unknown>;

const offsetPaths = {
  anchor: String,
  minutes: Number,
  _id: false,
} satisfies Record<keyof PostOffset | "_id", unknown>;

export const postSchema = new Schema<PostRow>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    announcementId: { type: String, required: true },
    occurrenceId: { type: String, required: true },
    startsAt: { type: Date, required: true },
    endsAt: Date,
    rescheduledAt: Date,
    offset: { type: offsetPaths, default: undefined },
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
    overLimit: Boolean,
    skipReason: String,
    waited: { type: waitedPaths, _id: false },
    attempts: Number,
    crashes: Number,
    delivered: { type: [String], required: true },
    parts: Number,
    announcementRevision: Number,
    changedBy: Object,
    suspends: Number,
    summaryOf: Number,
    owner: String,
    attemptId: String,
    claimedAt: Date,
    doubtSince: Date,
    reason: String,
    settledAt: Date,
    lateMs: Number,
    messageId: String,
    message: { type: messagePaths, _id: false, default: undefined },
    stepDue: Boolean,
    steps: { type: [stepPaths], default: undefined },
    expiresAt: Date,
    recordedAt: Date,
    /** Mark of the last change, see batched-compare-and-set.store.ts. */
    step: Schema.Types.ObjectId,
  } satisfies Record<keyof PostRow, unknown>,
  { collection: "posts", versionKey: false },
);

/** Posts that wake next. Only open posts are in the index, so its size does not grow with the history. */
postSchema.index({ wakeAt: 1 }, { partialFilterExpression: { state: { $in: [...OPEN_STATES] } } });
/** Sent posts whose next step is due. */
postSchema.index({ wakeAt: 1 }, { name: "steps", partialFilterExpression: { stepDue: true } });
/** The sent posts of a guild whose messages are edited. */
export const EDITED_INDEX = { guildId: 1, "message.until": -1 } as const;
postSchema.index(EDITED_INDEX, { partialFilterExpression: { "message.until": { $exists: true } } });
/** The open posts of a guild. */
postSchema.index({ guildId: 1, dueAt: 1 }, { partialFilterExpression: { state: { $in: [...OPEN_STATES] } } });
postSchema.index({ guildId: 1, occurrenceId: 1 });
/** The history of a guild and of an announcement. Only settled posts, because every index costs every write. */
const SETTLED = { partialFilterExpression: { settledAt: { $exists: true } } };
postSchema.index({ guildId: 1, settledAt: -1 }, { name: "history", ...SETTLED });
postSchema.index({ guildId: 1, announcementId: 1, settledAt: -1 }, { name: "history of announcement", ...SETTLED });
/** Cancelled and skipped posts, of which the latest stay. */
postSchema.index(
  { guildId: 1, settledAt: -1 },
  { name: "unsent", partialFilterExpression: { state: { $in: [...UNSENT_STATES] } } },
);
/** Posts that suspend an announcement, and summaries of its skipped posts: two indexes. */
postSchema.index({ guildId: 1, announcementId: 1 }, { partialFilterExpression: { suspends: { $exists: true } } });
postSchema.index(
  { guildId: 1, settledAt: -1 },
  { name: "summaries", partialFilterExpression: { summaryOf: { $exists: true } } },
);
/** For the changes of a guild. */
export const OUTCOMES_INDEX = { guildId: 1, recordedAt: 1, _id: 1 } as const;
postSchema.index(OUTCOMES_INDEX, { partialFilterExpression: { recordedAt: { $exists: true } } });
postSchema.index({ expiresAt: 1 }, { name: "expiry", sparse: true, expireAfterSeconds: 0 });

/** The schema of notifications (D59). */
export const notificationSchema = postSchema.clone();
/** The missed notifications of a guild. */
export const MISSED_INDEX = { guildId: 1, settledAt: -1, _id: 1 } as const;
notificationSchema.index(MISSED_INDEX, { partialFilterExpression: { state: { $in: [...MISSED_STATES] } } });

export function toRow({ id, ...post }: Post): PostRow {
  const row: Record<string, unknown> = { _id: id, ...post, ...expiryFields(post) };
  for (const field of INSTANTS) if (post[field] !== undefined) row[field] = new Date(post[field]);
  return row as unknown as PostRow;
}

export function toPost({ _id, expiresAt: _expiresAt, recordedAt: _recordedAt, step: _step, ...row }: PostRow): Post {
  const post: Record<string, unknown> = { ...row, id: _id };
  for (const field of INSTANTS) if (row[field] !== undefined) post[field] = row[field].getTime();
  return post as unknown as Post;
}

export function toStoredWaits({ until, waits }: WaitTotals): WaitTotals {
  return { until, waits: waits.map((wait) => definedFields(wait) as Wait) };
}

/** Operators of the update that stores an outcome. */
export const RECORDED_NOW = { $currentDate: { recordedAt: true } } as const;

/** Only settled posts expire, and only when their messages are not edited any more. */
export function expiryFields({
  settledAt,
  startsAt,
  message,
}: {
  readonly settledAt?: number | undefined;
  readonly startsAt: number;
  readonly message?: Pick<MessageState, "until"> | undefined;
}): { expiresAt?: Date } {
  if (settledAt === undefined) return {};
  return { expiresAt: new Date(Math.max(settledAt, startsAt, message?.until ?? 0) + RETENTION_MS) };
}

/** Converts fields to their stored form: instants become dates. */
export function toStoredFields(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(changes)) {
    const isInstant = INSTANTS.some((instant) => instant === name) && typeof value === "number";
    fields[name] = isInstant ? new Date(value) : value;
  }
  return fields;
}
