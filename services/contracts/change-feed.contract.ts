import { epochMs, integer, text } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";

/**
 * "What of yours changed since?", which every owner answers: what makes dispatch right when broadcasts are lost.
 * Marks are times of the database server, so a stepped process clock moves nothing.
 */
export interface ChangeMark {
  /** `changedAt` of the last change that was read. */
  readonly at: EpochMs;
  /** Its id, which orders changes of the same millisecond. */
  readonly id: string;
}

export interface Change {
  readonly id: string;
  readonly guildId: GuildId;
  /** Counts the writes of this one record, from 1. */
  readonly revision: number;
  readonly changedAt: EpochMs;
  readonly deleted: boolean;
}

export interface ChangesSinceParams {
  /** Exclusive; `{at: 0, id: ""}` reads from the beginning. */
  readonly mark: ChangeMark;
  /** 1 … 1000. */
  readonly limit: number;
}

export interface ChangesSinceResult {
  readonly changes: readonly Change[];
  /** Where to go on. Equal to the request's mark when nothing changed. */
  readonly mark: ChangeMark;
  /** The database server's time as these changes were read; there where there are some. */
  readonly readAt?: EpochMs;
  /** Whether more changes are there to be read at once. */
  readonly more: boolean;
}

/** How long a deleted record's tombstone is kept: a reader that was away for longer reads everything anew. */
export const TOMBSTONE_DAYS = 7;

/**
 * How far before its mark a reader starts to read again: a write gets its time when it begins and becomes visible
 * when it is acknowledged, so a slow one can surface behind the mark.
 */
export const CHANGE_FEED_OVERLAP_MS = 10_000;

/** No record's id is longer. */
const LONGEST_ID = 64;

export const changesSinceRules = {
  mark: {
    type: "object",
    strict: true,
    props: { at: epochMs, id: text(LONGEST_ID) },
  },
  limit: integer(1, 1000),
} as const;
