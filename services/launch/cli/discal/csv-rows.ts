import { MalformedTable, MAX_ROW_LENGTH, type TableRow } from "./table-row.ts";

/** NULL, as `SELECT … INTO OUTFILE` and most programs write it; only without quotation marks. */
const NULLS: ReadonlySet<string> = new Set(["NULL", "\\N"]);

interface CsvRecord {
  readonly line: number;
  readonly values: readonly (string | null)[];
}

/** The rows of a CSV text (RFC 4180) in chunks: the first record names the columns. Holds one record at a time. */
export async function* csvRows(chunks: AsyncIterable<string>): AsyncGenerator<TableRow> {
  let columns: readonly string[] | undefined;
  for await (const { line, values } of records(chunks)) {
    if (columns === undefined) {
      columns = values.map((name) =>
        (name ?? "")
          .replace(/^\uFEFF/, "")
          .trim()
          .toLowerCase(),
      );
      continue;
    }
    if (values.length !== columns.length) {
      throw new MalformedTable(line, `has ${values.length} fields, and the first line names ${columns.length} columns`);
    }
    yield { line, fields: new Map(columns.map((name, at) => [name, values[at] ?? null])) };
  }
}

/** Joins the lines between two quotation marks to one record. */
async function* records(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let parts: string[] = [];
  let [length, quotes, beginsAt] = [0, 0, 1];
  for await (const { line, text } of lines(chunks)) {
    if (parts.length === 0) beginsAt = line;
    parts.push(text);
    length += text.length + 1;
    // Two quotation marks within a value are one of its characters.
    quotes += text.match(/"/g)?.length ?? 0;
    if (length > MAX_ROW_LENGTH) throw new MalformedTable(beginsAt, `is longer than ${MAX_ROW_LENGTH} characters`);
    if (quotes % 2 === 1) continue;
    const record = parts.join("\n");
    if (record !== "") yield { line: beginsAt, values: valuesOf(record, beginsAt) };
    [parts, length, quotes] = [[], 0, 0];
  }
  if (parts.length > 0) throw new MalformedTable(beginsAt, "has a quotation mark that is not closed");
}

async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<{ readonly line: number; readonly text: string }> {
  let rest = "";
  let line = 0;
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    if (rest.length > MAX_ROW_LENGTH) throw new MalformedTable(line + 1, `is longer than ${MAX_ROW_LENGTH} characters`);
    for (const part of parts) yield { line: (line += 1), text: part.replace(/\r$/, "") };
  }
  if (rest !== "") yield { line: line + 1, text: rest };
}

const VALUE = /("(?:[^"]|"")*"|[^",]*)(,|$)/y;

function valuesOf(record: string, line: number): (string | null)[] {
  const values: (string | null)[] = [];
  VALUE.lastIndex = 0;
  for (;;) {
    const match = VALUE.exec(record);
    if (match === null) throw new MalformedTable(line, "has a quotation mark within a value");
    const [, value = "", separator] = match;
    if (value.startsWith('"')) values.push(value.slice(1, -1).replaceAll('""', '"'));
    else values.push(NULLS.has(value) ? null : value);
    if (separator === "") return values;
  }
}
