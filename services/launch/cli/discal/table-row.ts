/** A row of an exported table. */
export interface TableRow {
  /** The line of the file on which it begins. */
  readonly line: number;
  /** The values by the names of their columns, in lower case; null for NULL. */
  readonly fields: ReadonlyMap<string, string | null>;
}

/** A table that is malformed from this line on. */
export class MalformedTable extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
  }
}

/** Longest row, in characters: all texts of an announcement fit several times. */
export const MAX_ROW_LENGTH = 1_048_576;

/** The value of a column, without white space around it; undefined if it is absent, NULL or empty. */
export function textIn({ fields }: TableRow, column: string): string | undefined {
  const value = fields.get(column)?.trim();
  return value === undefined || value === "" ? undefined : value;
}

/** The value of a column as an integer; undefined if it is none. */
export function integerIn(row: TableRow, column: string): number | undefined {
  const value = textIn(row, column);
  return value !== undefined && /^-?[0-9]{1,15}$/.test(value) ? Number(value) : undefined;
}

/** A BIT column, as the programs that export tables of MySQL write it. */
const BITS = new Map<string, boolean>([
  ...["1", "true", "b'1'", "0x01", "\u0001"].map((text) => [text, true] as const),
  ...["0", "false", "b'0'", "0x00", "\u0000"].map((text) => [text, false] as const),
]);

/** The value of a BIT column; undefined if it is absent, NULL or no bit. */
export function bitIn({ fields }: TableRow, column: string): boolean | undefined {
  // Without `trim`, which removes no control character, and with which a NUL byte would be lost in some exports.
  return BITS.get((fields.get(column) ?? "").toLowerCase());
}

/** The id of a guild, a channel or a user of Discord. */
export function snowflakeIn(row: TableRow, column: string): string | undefined {
  const value = textIn(row, column);
  return value !== undefined && /^[1-9][0-9]{0,19}$/.test(value) ? value : undefined;
}
