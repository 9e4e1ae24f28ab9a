import {
  CHANGE_KINDS,
  type ChangedRecord,
  type ChangedRecords,
  type ChangeKind,
  type RecordKey,
  type RecordPosition,
} from "../../contracts/guild-changes.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";

/** A position in the changes of a guild: one in the records of each kind. */
export type SyncPosition = Readonly<Record<ChangeKind, RecordPosition>>;

/** The changed records of each kind after a position. */
export type ChangesByKind = { readonly [Kind in ChangeKind]: ChangedRecords<unknown> };

/** A changed record with its kind. */
export interface ChangedRecordOfKind extends ChangedRecord<unknown> {
  readonly kind: ChangeKind;
}

export interface Delivery {
  /** The changes to deliver now, in order. */
  readonly records: readonly ChangedRecordOfKind[];
  /** The position after them. */
  readonly position: SyncPosition;
  /** Whether the next read can deliver further changes at once. */
  readonly more: boolean;
  /** Whether changes wait until they are settled: until no earlier write can appear any more. */
  readonly isHeldBack: boolean;
}

/**
 * Largest number of revisions that a position names because an earlier write may still appear before them. Further changes
 * are delivered when they are settled.
 */
export const MAX_UNSETTLED = 200;

/** The position before all records of this time. */
export function positionAt(at: EpochMs): RecordPosition {
  return { at, id: "", delivered: [] };
}

/** The position before every record. */
export const FIRST_POSITION = perKind(() => positionAt(0));

export function perKind<Value>(valueOf: (kind: ChangeKind) => Value): Readonly<Record<ChangeKind, Value>> {
  return Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, valueOf(kind)])) as Record<ChangeKind, Value>;
}

/**
 * Merges the changed records of all kinds in the order of their times, selects at most `limit` of them, and computes the
 * position after them.
 *
 * A position covers all writes up to its record, so it is never after a write that may be missing in the read: it stays before
 * the first record that is not settled, or that is not delivered. The delivered revisions after it are named one by one.
 */
export function selectChanges(position: SyncPosition, changes: ChangesByKind, limit: number): Delivery {
  const candidates = CHANGE_KINDS.flatMap((kind) =>
    changes[kind].changed.map((record): ChangedRecordOfKind => ({ ...record, kind })),
  ).toSorted(
    (one, other) => compareKeys(one, other) || CHANGE_KINDS.indexOf(one.kind) - CHANGE_KINDS.indexOf(other.kind),
  );
  // The records after the last one of an incomplete list are not known yet.
  const incomplete = CHANGE_KINDS.filter((kind) => changes[kind].more);
  const knownUntil = Math.min(...incomplete.map((kind) => changes[kind].changed.at(-1)?.at ?? 0));
  const isSettled = ({ kind, at }: Pick<ChangedRecordOfKind, "kind" | "at">) => at <= changes[kind].settledUntil;

  let unsettled = CHANGE_KINDS.flatMap((kind) =>
    changes[kind].delivered.filter(({ at }) => !isSettled({ kind, at })),
  ).length;
  let isHeldBack = false;
  const records: ChangedRecordOfKind[] = [];
  for (const record of candidates) {
    if (records.length >= limit || record.at > knownUntil) break;
    if (!isSettled(record)) {
      isHeldBack = unsettled >= MAX_UNSETTLED;
      if (isHeldBack) break;
      unsettled += 1;
    }
    records.push(record);
  }
  return {
    records,
    position: perKind((kind) => positionAfter(position[kind], changes[kind], countOf(records, kind))),
    more: !isHeldBack && (records.length < candidates.length || incomplete.length > 0),
    isHeldBack,
  };
}

function countOf(records: readonly ChangedRecordOfKind[], kind: ChangeKind): number {
  return records.filter((record) => record.kind === kind).length;
}

/** The position after the first `count` of the changed records. */
function positionAfter(before: RecordPosition, read: ChangedRecords<unknown>, count: number): RecordPosition {
  const { delivered, changed, settledUntil, more } = read;
  const [last, next] = [changed.at(-1), changed[count]];
  const known = [...delivered, ...changed.slice(0, count)].toSorted(compareKeys);
  // Behind an incomplete list are records that are not delivered, also before delivered ones that are settled.
  const isAtMostLast = (key: RecordKey) => !more || last === undefined || compareKeys(key, last) <= 0;
  const isCovered = (key: RecordKey) =>
    key.at <= settledUntil && (next === undefined ? isAtMostLast(key) : compareKeys(key, next) < 0);
  const covered = known.filter(isCovered);
  const { at, id } = covered.at(-1) ?? before;
  return { at, id, delivered: known.slice(covered.length).map(({ digest }) => digest) };
}

function compareKeys(one: Pick<RecordKey, "at" | "id">, other: Pick<RecordKey, "at" | "id">): number {
  if (one.at !== other.at) return one.at - other.at;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}
