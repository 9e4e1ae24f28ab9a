import { MAX_RESPONSE_BYTES } from "../../services/contracts/list-limits.ts";
import { isRefusal, type Refusal } from "../../services/contracts/errors.ts";
import { DEFAULT_PAGE_ENTRIES, type Page, type PageParams } from "../../services/contracts/pages.ts";
import { TimeSlice } from "../async/time-slice.ts";
import { comparePositions, type PageCursors, type PagePosition } from "./page-cursor.ts";

/** Room for the comma, and for field names that are longer in a response (`epoch_start`) than here (`startsAt`). */
const NAMES_BYTES = 128;
/** Room for the other fields of a response, warnings included. */
const OTHER_BYTES = 8_192;

/** The entries of a page, up to the limits of a response in number and bytes (D38). The first entry always fits. */
export class PageEntries<Entry> {
  readonly entries: Entry[] = [];
  readonly #limit: number;
  #bytes = OTHER_BYTES;

  constructor(limit = DEFAULT_PAGE_ENTRIES) {
    this.#limit = limit;
  }

  /** Adds an entry; false if the page has no room for it. */
  add(entry: Entry): boolean {
    if (this.entries.length >= this.#limit) return false;
    const bytes = Buffer.byteLength(JSON.stringify(entry)) + NAMES_BYTES;
    if (this.entries.length > 0 && this.#bytes + bytes > MAX_RESPONSE_BYTES) return false;
    this.entries.push(entry);
    this.#bytes += bytes;
    return true;
  }
}

/**
 * The first page of these entries. Reads one entry more than the page has, so that the last page has no cursor.
 *
 * @param cursorOf - The cursor of the page that begins after an entry.
 */
export async function firstPage<Entry>(
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  limit: number | undefined,
  cursorOf: (entry: Entry) => string,
): Promise<Page<Entry>> {
  const page = new PageEntries<Entry>(limit);
  const slices = new TimeSlice();
  for await (const entry of entries) {
    if (!page.add(entry)) return { entries: page.entries, next: cursorOf(page.entries.at(-1) as Entry) };
    if (slices.isOver) await slices.rest();
  }
  return { entries: page.entries };
}

/** How the entries of a list are ordered, and the cursors of their positions. */
export interface PagedList<Entry, Position extends PagePosition> {
  readonly cursors: PageCursors<Position>;
  readonly positionOf: (entry: Entry) => Position;
}

/** A page of a list that is in memory as a whole, and in any order. */
export async function pageOf<Entry, Position extends PagePosition>(
  all: readonly Entry[],
  { cursor, limit }: PageParams,
  { cursors, positionOf }: PagedList<Entry, Position>,
): Promise<Page<Entry> | Refusal> {
  const position = cursors.read(cursor);
  if (isRefusal(position)) return position;
  return firstPage(entriesAfter(all, position, positionOf), limit, (entry) => cursors.write(positionOf(entry)));
}

/** The entries after a position, or all, in the order of their positions. */
export function entriesAfter<Entry, Position extends PagePosition>(
  all: readonly Entry[],
  position: Position | undefined,
  positionOf: (entry: Entry) => Position,
): Entry[] {
  const behind =
    position === undefined ? all : all.filter((entry) => comparePositions(positionOf(entry), position) > 0);
  return behind.toSorted((a, b) => comparePositions(positionOf(a), positionOf(b)));
}
