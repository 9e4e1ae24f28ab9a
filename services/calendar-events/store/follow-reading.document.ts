import type { FollowReading } from "../domain/follow/follow.ts";

/** The stored form of a reading, with the claim of the replica that reads. Times of claims are of the database's clock. */
export interface ReadingRow extends Partial<Omit<FollowReading, "nextAt">> {
  /** Absent if nothing is followed any more. */
  readonly nextAt?: Date;
  /** When the last claim was made. It stays when another address is followed. */
  readonly claimedAt?: Date;
  /** Present while a replica reads. */
  readonly leaseUntil?: Date;
  /** Counts the claims: a write with an older fence changes nothing. */
  readonly fence: number;
}

export const readingPaths = {
  nextAt: Date,
  claimedAt: Date,
  leaseUntil: Date,
  fence: Number,
  lastReadAt: Number,
  lastSuccessAt: Number,
  lastChangeAt: Number,
  failures: Number,
  failingSince: Number,
  error: String,
  errorMessage: String,
  etag: String,
  lastModified: String,
  digest: String,
  intervalMs: Number,
  created: Number,
  updated: Number,
  unchanged: Number,
  deleted: Number,
  skipped: Number,
} satisfies Record<keyof ReadingRow, unknown>;

/** Shortest time between two reads of a calendar, however often its address is set. */
const MIN_PAUSE_MS = 60_000;

/** The expression for the reading of a calendar that follows another address, or none. A reader's claim is over then. */
export function changedReading(change: "begins" | "ends"): Record<"reading", object> {
  const fence = { $add: [{ $ifNull: ["$reading.fence", 0] }, 1] };
  const kept = { claimedAt: "$reading.claimedAt", fence };
  if (change === "ends") return { reading: kept };
  const nextAt = { $max: ["$$NOW", { $add: ["$reading.claimedAt", MIN_PAUSE_MS] }] };
  return { reading: { ...kept, nextAt, failures: 0 } };
}
