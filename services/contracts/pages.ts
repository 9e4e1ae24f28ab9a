import { integer, optional, textOf } from "./field-rules.ts";

/** The part of a list, or of a search, that one response has (D49). */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** The cursor of the next page; absent at the end of the list. An empty page may have a cursor, too. */
  readonly next?: string;
}

export interface PageParams {
  /** Largest number of entries of the page; a page may have fewer (D38). */
  readonly limit?: number;
  /** The `next` of the page before; absent for the first page. */
  readonly cursor?: string;
}

/** Largest number of entries of a page. */
const MAX_PAGE_ENTRIES = 1_000;
/** Largest number of entries of a page for a request without `limit`. */
export const DEFAULT_PAGE_ENTRIES = 100;

/** The rules of `PageParams`. Only the owner of the list can read a cursor. */
export const pageRules = {
  limit: optional(integer(1, MAX_PAGE_ENTRIES)),
  cursor: optional(textOf("the next of an earlier response of this list", /^[0-9A-Za-z_-]{1,400}$/, 400)),
} satisfies Record<keyof PageParams, unknown>;

/** A page fits into every response of HTTP, but not into every message on the bus. */
export const pageNarrowing = { field: "limit", advice: "must be a smaller number, from 1 on" } as const;
