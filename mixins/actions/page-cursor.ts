import { refuse, type Refusal } from "../../services/contracts/errors.ts";

/** The position of an entry in the order of its list. A page begins after the position in the cursor of its request. */
export type PagePosition = readonly (string | number)[];

/** Compares positions value by value; texts by code unit, as the database compares ids, which are ASCII. */
export function comparePositions(a: PagePosition, b: PagePosition): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] as typeof value;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

/** Version of the form of cursors. A cursor of another version is refused. */
const VERSION = 1;

/** Writes and reads the cursors of one list (D49). A cursor has nothing but a position, so it gives access to nothing. */
export interface PageCursors<Position extends PagePosition> {
  write(position: Position): string;
  /** The position in a cursor; undefined without a cursor. Refuses a text that is no cursor of this list. */
  read(cursor: string | undefined): Position | undefined | Refusal;
}

/**
 * @param list - Name of the list, so that no list accepts the cursor of another one.
 * @param example - Any position: those in cursors have values of the same types.
 */
export function pageCursors<Position extends PagePosition>(list: string, example: Position): PageCursors<Position> {
  return {
    write: (position) => writeCursor(list, position),
    read(cursor) {
      if (cursor === undefined) return undefined;
      const position = positionIn(cursor);
      // The position is written again and compared: a cursor of another version or list, or another spelling, differs.
      return isPosition(position, example) && writeCursor(list, position) === cursor ? position : REFUSAL;
    },
  };
}

/** Whether the values are of the same types as those of the example. */
function isPosition<Position extends PagePosition>(
  values: readonly unknown[] | undefined,
  example: Position,
): values is Position {
  return values?.length === example.length && values.every((value, at) => isValue(value, example[at]));
}

function writeCursor(list: string, position: PagePosition): string {
  return Buffer.from(JSON.stringify([VERSION, list, ...position])).toString("base64url");
}

/** The values after version and list; undefined if the cursor is not an array as JSON in base64url. */
function positionIn(cursor: string): unknown[] | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(values) ? values.slice(2) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value has the type of the example; a number must be an integer. */
function isValue(value: unknown, example: unknown): boolean {
  return typeof example === "number" ? Number.isSafeInteger(value) : typeof value === "string";
}

const REFUSAL = refuse("INVALID_REQUEST", [
  { field: "cursor", code: "MALFORMED", message: "must be the next of an earlier response of this list" },
]);
