import { epochMs, integer, optional, text } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";

/**
 * A position in the change feed of a service. Dispatch reads the feed of every owner, since broadcasts can be lost. The times
 * are from the database server's clock, so that steps of a process clock have no effect.
 */
export interface ChangeMark {
  /** `changedAt` of the last change before the position. */
  readonly at: EpochMs;
  /** Id of that record, which orders changes of the same millisecond. */
  readonly id: string;
}

export interface Change {
  readonly id: string;
  readonly guildId: GuildId;
  /** Number of writes of the record, from 1. */
  readonly revision: number;
  readonly changedAt: EpochMs;
  readonly deleted: boolean;
  /** Of a new event: its first start. Absent if the change is anything but the creation of an event. */
  readonly startsAt?: EpochMs;
}

/** The guilds of a feed are divided into so many partitions, so that its readers can share it. A prime: every bit of an id counts. */
export const GUILD_PARTITIONS = 61;

/** The partition of a guild, from 0: the remainder of its id. */
export function partitionOf(guildId: GuildId): number {
  return Number(BigInt(guildId) % BigInt(GUILD_PARTITIONS));
}

export interface ChangesSinceParams {
  /** Changes after this position are returned; `{at: 0, id: ""}` is the beginning. */
  readonly mark: ChangeMark;
  /** Only changes of the guilds in these partitions; all if absent. */
  readonly partitions?: readonly number[];
  /** 1 … 1000. */
  readonly limit: number;
}

export interface ChangesSinceResult {
  readonly changes: readonly Change[];
  /** The position after these changes; equal to the request's mark if there are none. */
  readonly mark: ChangeMark;
  /** Time of the read by the database server's clock; absent if there are no changes. */
  readonly readAt?: EpochMs;
  /** Whether more changes can be read immediately. */
  readonly more: boolean;
}

/** Counts the changes after a position. */
export interface CountChangesParams {
  readonly mark: ChangeMark;
  /** As of `ChangesSinceParams`. */
  readonly partitions?: readonly number[];
  /** Counts no further; 1 … 10 000. */
  readonly limit: number;
}

/** Lifetime of the tombstone of a deleted record. A reader that was away for longer reads all records again. */
export const TOMBSTONE_DAYS = 7;

/**
 * A reader starts this many milliseconds before its mark. A write gets its time when it begins and becomes visible when it is
 * acknowledged, so that a slow write can appear before the mark.
 */
export const CHANGE_FEED_OVERLAP_MS = 10_000;

/** Length of the longest id of a record. */
const MAX_ID_LENGTH = 64;

const mark = {
  type: "object",
  strict: true,
  props: { at: epochMs, id: text(MAX_ID_LENGTH) },
} as const;

const partitions = optional({
  type: "array",
  min: 1,
  max: GUILD_PARTITIONS,
  items: integer(0, GUILD_PARTITIONS - 1),
} as const);

export const changesSinceRules = { mark, partitions, limit: integer(1, 1000) } as const;

export const countChangesRules = { mark, partitions, limit: integer(1, 10_000) } as const;
