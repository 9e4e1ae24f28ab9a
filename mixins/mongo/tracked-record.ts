import { TOMBSTONE_DAYS } from "../../services/contracts/change-feed.contract.ts";
import type { Changed, ChangeOrigin } from "../../services/contracts/contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";

/** The fields by which a record is in the change feed of its owner; a record with these fields is tracked. */
export interface Tracked {
  _id: string;
  guildId: GuildId;
  /** Counts the writes, from 1. */
  revision: number;
  /** Time of the last write, by the database server's clock. */
  changedAt: Date;
  /** Set on a tombstone: the record is removed, and this row reports that until it expires. */
  deletedAt?: Date;
  /** The recent writes of the record, by which a repeated attempt is recognized (recent-writes.ts). */
  writes?: RecentWrite[];
  /** The request of the last write; absent if no request caused it. */
  changedBy?: StoredOrigin;
}

/** A `ChangeOrigin` in its stored form; `at` is a date in rows of early builds. */
type StoredOrigin = Omit<ChangeOrigin, "at"> & { readonly at: number | Date };

/**
 * The database server's time in milliseconds. Release 0.1.0 returns every field of the settings of a guild, and the bus refuses a
 * packet with a date.
 */
export const NOW_MS = { $toLong: "$$NOW" } as const;

/** Mongoose paths of the tracked fields, without `_id`. */
export const trackedPaths = {
  guildId: { type: String, required: true },
  revision: { type: Number, required: true },
  changedAt: { type: Date, required: true },
  deletedAt: Date,
  writes: { type: [{ id: String, revision: Number, at: Number, _id: false }], default: undefined },
  changedBy: { type: { at: Number, requestId: String, traceparent: String }, _id: false },
} as const;

/**
 * The index of the feed, and the one that expires tombstones. The second one contains only tombstones, because every
 * index entry slows writes.
 */
export const trackedIndexes = [
  [{ changedAt: 1, _id: 1 }, {}],
  [{ deletedAt: 1 }, { name: "tombstones", sparse: true, expireAfterSeconds: TOMBSTONE_DAYS * 86_400 }],
] as const;

/** One of the last writes of a record. */
export interface RecentWrite {
  /** The write id (`CallMeta`). */
  readonly id: string;
  /** The revision that it stored. */
  readonly revision: number;
  /** Time of the write, in milliseconds; a date in rows of early builds. */
  readonly at: number | Date;
}

/** An object with the field `changedBy`, the request of the last write; an empty object if no request caused the write. */
export function changedByField({ changedBy }: Pick<Tracked, "changedBy">): Changed {
  return changedBy === undefined ? {} : { changedBy: { ...changedBy, at: Number(changedBy.at) } };
}
