import { CHANGE_FEED_OVERLAP_MS } from "../../../../services/contracts/change-feed.contract.ts";
import type { ChangeKind } from "../../../../services/contracts/guild-changes.contract.ts";

/** The stored state of the records of a guild, by kind and id, after the last write. */
export type StoredRecords = ReadonlyMap<string, StoredRecord>;

export interface StoredRecord {
  readonly revision: number;
  readonly deleted: boolean;
  /** Whether a webhook of every type gets it. */
  readonly isDelivered: boolean;
}

/** A change as a reader has received it. */
export interface SeenChange {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly revision: number;
  readonly deleted: boolean;
  readonly changed: number;
}

/** A request that a receiver of webhooks got. */
export interface SeenDelivery {
  /** The `webhook-id` header, which is the same for all attempts of a delivery. */
  readonly deliveryId: string;
  readonly kind: ChangeKind;
  readonly id: string;
  readonly revision: number;
  readonly type: string;
  readonly bodyDigest: string;
  readonly isSigned: boolean;
  /** The status of the response. */
  readonly status: number;
  /** In milliseconds of the monotonic clock. */
  readonly at: number;
}

/** Attempts of one webhook at once, which may have begun before its end (D53). */
const MAX_BEGUN = 4;
/** Time within which an attempt that has begun ends (D53). */
const ATTEMPT_MS = 10_000;

export function recordKey({ kind, id }: Pick<SeenChange, "kind" | "id">): string {
  return `${kind}/${id}`;
}

/**
 * Compares what a reader has received, page after page, with the stored records. Changes are states (D48): of each record the
 * newest revision must be there, and no revision twice or after a later one. A record that was written once is thus there
 * exactly once. The times may go back by as long as a write may take until it is stored.
 */
export function problemsOfReading(stored: StoredRecords, seen: readonly SeenChange[]): Record<string, number> {
  const last = new Map<string, SeenChange>();
  const problems = { repeated: 0, unknown: 0, "out of order": 0, missing: 0 };
  let latest = 0;
  for (const change of seen) {
    const key = recordKey(change);
    if (change.revision <= (last.get(key)?.revision ?? 0)) problems.repeated += 1;
    if (change.revision > (stored.get(key)?.revision ?? 0)) problems.unknown += 1;
    if (change.changed < latest - CHANGE_FEED_OVERLAP_MS) problems["out of order"] += 1;
    latest = Math.max(latest, change.changed);
    last.set(key, change);
  }
  for (const [key, { revision, deleted }] of stored) {
    const newest = last.get(key);
    if (newest?.revision !== revision || newest.deleted !== deleted) problems.missing += 1;
  }
  return onlyFound(problems);
}

/**
 * Compares the requests of a webhook, in the order of their arrival, with the stored records. A delivery counts when the
 * response was a success; it may arrive again with the same id and body.
 */
export function problemsOfDeliveries(stored: StoredRecords, seen: readonly SeenDelivery[]): Record<string, number> {
  const newest = new Map<string, number>();
  const delivered = new Map<string, number>();
  const bodies = new Map<string, string>();
  const problems = { missing: 0, backward: 0, unsigned: 0, "with another body": 0, "not created first": 0 };
  for (const delivery of seen) {
    const { deliveryId, type, revision, bodyDigest, isSigned, status } = delivery;
    const key = recordKey(delivery);
    if (revision < (newest.get(key) ?? 0)) problems.backward += 1;
    if (!newest.has(key) && type === "event.updated") problems["not created first"] += 1;
    if ((bodies.get(deliveryId) ?? bodyDigest) !== bodyDigest) problems["with another body"] += 1;
    if (!isSigned) problems.unsigned += 1;
    newest.set(key, Math.max(revision, newest.get(key) ?? 0));
    if (status < 300) delivered.set(key, Math.max(revision, delivered.get(key) ?? 0));
    bodies.set(deliveryId, bodyDigest);
  }
  for (const [key, { revision, isDelivered }] of stored) {
    if (isDelivered && (delivered.get(key) ?? 0) < revision) problems.missing += 1;
  }
  return onlyFound(problems);
}

/** The requests after the end of a webhook, beyond the attempts that may have begun before (D53). */
export function deliveriesAfterEnd(seen: readonly SeenDelivery[], endedAt: number): Record<string, number> {
  const after = seen.filter(({ at }) => at > endedAt);
  const late = after.filter(({ at }) => at > endedAt + ATTEMPT_MS);
  return onlyFound({ "after the end": Math.max(late.length, after.length - MAX_BEGUN) });
}

/** Acknowledged writes that are not stored: a record is written at least as often as its writer got a response. */
export function lostWrites(stored: StoredRecords, acknowledged: ReadonlyMap<string, number>): number {
  return [...acknowledged].filter(([key, writes]) => (stored.get(key)?.revision ?? 0) < writes).length;
}

function onlyFound(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** The sum of several counts, as sentences such as "3 missing in the stream". */
export function sentencesOf(where: string, counts: readonly Record<string, number>[]): string[] {
  const sums = new Map<string, number>();
  for (const [what, count] of counts.flatMap((each) => Object.entries(each)))
    sums.set(what, (sums.get(what) ?? 0) + count);
  return [...sums].map(([what, count]) => `${count} ${what} ${where}`);
}
