import { TOMBSTONE_DAYS } from "../../services/contracts/change-feed.contract.ts";
import type { Changed, ChangeOrigin } from "../../services/contracts/contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";

/** The fields by which a record takes part in its owner's change feed. */
export interface Tracked {
  _id: string;
  guildId: GuildId;
  /** Counts the writes, from 1. */
  revision: number;
  /** Time of the last write, by the database server's clock. */
  changedAt: Date;
  /** Set on a tombstone: the record is gone, and this row says so until it expires. */
  deletedAt?: Date;
  /** The last writes of the record, by which a try that comes after another is known (recent-writes.ts). */
  writes?: RecentWrite[];
  /** The request of the last write; absent where it was nobody's. */
  changedBy?: StoredOrigin;
}

/** A `ChangeOrigin` as stored. */
type StoredOrigin = Omit<ChangeOrigin, "at"> & { readonly at: Date };

/** Mongoose paths of the tracked fields, `_id` aside. */
export const trackedPaths = {
  guildId: { type: String, required: true },
  revision: { type: Number, required: true },
  changedAt: { type: Date, required: true },
  deletedAt: Date,
  writes: { type: [{ id: String, revision: Number, at: Date, _id: false }], default: undefined },
  changedBy: { type: { at: Date, requestId: String, traceparent: String }, _id: false },
} as const;

/** Index of the feed, and the one that ends tombstones, which holds nothing else: every index costs every write. */
export const trackedIndexes = [
  [{ changedAt: 1, _id: 1 }, {}],
  [{ deletedAt: 1 }, { name: "tombstones", sparse: true, expireAfterSeconds: TOMBSTONE_DAYS * 86_400 }],
] as const;

/** One of the last writes of a record. */
export interface RecentWrite {
  /** The write's own (`CallMeta`). */
  readonly id: string;
  /** The revision that it stored. */
  readonly revision: number;
  readonly at: Date;
}

/** The request of a record's last write, as a part of the record; nothing where it was nobody's. */
export function changedByOf({ changedBy }: Pick<Tracked, "changedBy">): Changed {
  return changedBy === undefined ? {} : { changedBy: { ...changedBy, at: changedBy.at.getTime() } };
}
