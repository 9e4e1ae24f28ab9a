import type { ClientSession, Model, PipelineStage } from "mongoose";
import {
  type Change,
  type ChangesSinceParams,
  type ChangesSinceResult,
  type CountChangesParams,
  GUILD_PARTITIONS,
} from "../../services/contracts/change-feed.contract.ts";
import { currentOrigin, deadlineStages, rejectIfLate } from "./write-context.ts";
import { notWrittenFilter, recentWritesField } from "./recent-writes.ts";
import { NOW_MS, type Tracked } from "./tracked-record.ts";

/**
 * An update that replaces a whole record and stamps it with the time of the database server. `$literal` keeps texts
 * that begin with `$` from being read as expressions.
 *
 * @param timeFields - Further fields that get the same time.
 * @param computedFields - Fields that are computed from the stored record.
 */
export function stampedReplacement(
  record: object & { readonly revision?: number },
  timeFields: readonly string[] = [],
  computedFields: Readonly<Record<string, object | string>> = {},
): [PipelineStage.ReplaceWith] {
  const stamps = stampsOf(timeFields);
  return [
    { $replaceWith: { $mergeObjects: [{ $literal: record }, computedFields, recentWritesField(record), stamps] } },
  ];
}

/**
 * The same for a new record. The id of the record comes from the write that creates it (`CallMeta`), so the record does
 * not store the write id.
 *
 * @param computedFields - Fields that are computed by the database.
 */
export function stampedNewRecord(
  record: object,
  timeFields: readonly string[],
  computedFields: Readonly<Record<string, object>> = {},
): [PipelineStage.ReplaceWith] {
  return [{ $replaceWith: { $mergeObjects: [{ $literal: record }, computedFields, stampsOf(timeFields)] } }];
}

/** The time of the change, and the request that it is made for. */
function stampsOf(timeFields: readonly string[]): Record<string, string | object> {
  const now = Object.fromEntries(["changedAt", ...timeFields].map((field) => [field, "$$NOW"]));
  const origin = currentOrigin();
  if (origin === undefined) return now;
  const texts = Object.entries(origin).map(([name, text]) => [name, { $literal: text }]);
  return { ...now, changedBy: { at: NOW_MS, ...Object.fromEntries(texts) } };
}

/** Expressions of fields that keep their stored values, for `computedFields`. */
export function unchangedFields(...fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, `$${field}`]));
}

/** An update that replaces a removed record by a tombstone: the fields of the change feed, and `computedFields`. */
export function stampedTombstone(
  record: Pick<Tracked, "_id" | "guildId" | "revision">,
  computedFields: Readonly<Record<string, object>> = {},
): PipelineStage.ReplaceWith[] {
  return stampedReplacement(record, ["deletedAt"], computedFields);
}

/**
 * Stores one revision of a record: revision 1 is inserted, a later one replaces the revision before it. False if
 * another write, or another attempt of this one, was stored in the meantime. Rejects with DeadlinePassed if the update
 * reached the database after its deadline.
 */
export async function saveRevision<Row extends Tracked>(
  model: Model<Row>,
  record: Pick<Tracked, "_id" | "guildId" | "revision">,
  replacement: PipelineStage.ReplaceWith[] = stampedReplacement(record),
  session?: ClientSession,
): Promise<boolean> {
  const isFirst = record.revision === 1;
  const { _id, guildId } = record;
  const revision = isFirst ? { $exists: false } : record.revision - 1;
  try {
    const update = model.updateOne(
      {
        _id,
        guildId,
        revision,
        ...(isFirst ? {} : { deletedAt: { $exists: false }, ...notWrittenFilter() }),
      } as never,
      [...replacement, ...deadlineStages()],
      { updatePipeline: true, upsert: isFirst, ...(session === undefined ? {} : { session }) },
    );
    const { matchedCount, upsertedCount } = await rejectIfLate(update);
    return matchedCount + upsertedCount === 1;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** MongoDB's error code for a value of a unique index that exists already. */
export const DUPLICATE_KEY = 11_000;

/** Whether another document has the id, or the value of a unique index. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown }).code === DUPLICATE_KEY;
}

const CHANGE = { guildId: 1, revision: 1, changedAt: 1, deletedAt: 1, readAt: "$$NOW" } as const;
const IN_ORDER = { changedAt: 1, _id: 1 } as const;

type ChangeRow = Pick<Tracked, "_id" | "guildId" | "revision" | "changedAt" | "deletedAt"> & { readonly readAt: Date };

/**
 * Returns the changes since a mark, in the order of `changedAt`, then id.
 *
 * @param newRecordFields - Fields of the record that the change of a creation also has.
 */
export async function changesSince<Row extends Tracked>(
  model: Model<Row>,
  params: ChangesSinceParams,
  newRecordFields: readonly ("startsAt" & keyof Row)[] = [],
): Promise<ChangesSinceResult> {
  const { mark, limit } = params;
  const rows = await model
    .find(changesAfter(params) as never, {
      ...CHANGE,
      ...Object.fromEntries(newRecordFields.map((field) => [field, 1])),
    })
    .sort(IN_ORDER)
    .limit(limit + 1)
    .lean<ChangeRow[]>();
  const changes = rows.slice(0, limit).map((row) => changeOf(row, newRecordFields));
  const [first] = rows;
  const last = changes.at(-1);
  return {
    changes,
    mark: last === undefined ? mark : { at: last.changedAt, id: last.id },
    ...(first === undefined ? {} : { readAt: first.readAt.getTime() }),
    more: rows.length > limit,
  };
}

/** Reads of the change feed of a collection. */
export interface ChangeFeed {
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
  /** Counts the changes since a mark, up to the limit. */
  countChanges(params: CountChangesParams): Promise<number>;
}

/** @param newRecordFields - As of `changesSince`. */
export function changeFeed<Row extends Tracked>(
  model: Model<Row>,
  newRecordFields: readonly ("startsAt" & keyof Row)[] = [],
): ChangeFeed {
  return {
    changesSince: (params) => changesSince(model, params, newRecordFields),
    countChanges: (params) => countChanges(model, params),
  };
}

function countChanges<Row extends Tracked>(model: Model<Row>, params: CountChangesParams): Promise<number> {
  return model.countDocuments(changesAfter(params) as never, { limit: params.limit });
}

function changesAfter({ mark, partitions }: Pick<ChangesSinceParams, "mark" | "partitions">): object {
  const at = new Date(mark.at);
  const isAfter = { $or: [{ changedAt: { $gt: at } }, { changedAt: at, _id: { $gt: mark.id } }] };
  if (partitions === undefined) return isAfter;
  return { ...isAfter, $expr: { $in: [PARTITION, partitions] } };
}

/** As `partitionOf`. An id can exceed a 64-bit integer of MongoDB. */
const PARTITION = { $mod: [{ $toDecimal: "$guildId" }, GUILD_PARTITIONS] };

function changeOf(row: ChangeRow, newRecordFields: readonly string[]): Change {
  const deleted = row.deletedAt !== undefined;
  const isNew = row.revision === 1 && !deleted;
  const fields = Object.entries(row).filter(([name]) => isNew && newRecordFields.includes(name));
  return {
    id: row._id,
    guildId: row.guildId,
    revision: row.revision,
    changedAt: row.changedAt.getTime(),
    deleted,
    ...Object.fromEntries(fields),
  };
}
