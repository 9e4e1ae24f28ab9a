import { describe, expect, test } from "@jest/globals";
import { csvRows } from "./csv-rows.ts";
import { jsonRows } from "./json-rows.ts";
import { bitIn, MAX_ROW_LENGTH, type TableRow } from "./table-row.ts";

type RowReader = (chunks: AsyncIterable<string>) => AsyncIterable<TableRow>;

async function* inPieces(text: string, length: number) {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

/** The rows of a text, which must be the same for chunks of any length. */
async function rowsOf(read: RowReader, text: string) {
  const all = await Promise.all([1, 2, 7, 1_000].map((length) => Array.fromAsync(read(inPieces(text, length)))));
  for (const rows of all) expect(rows).toEqual(all[0]);
  return (all[0] ?? []).map(({ line, fields }) => [line, Object.fromEntries(fields)]);
}

const row = (fields: Readonly<Record<string, string | null>>): TableRow => ({
  line: 1,
  fields: new Map(Object.entries(fields)),
});

describe("a table of DisCal", () => {
  test("in CSV has quoted values with line breaks, NULLs, and the line of each row", async () => {
    const text = '\uFEFFGUILD_ID,"Info"\r\n1,"a ""b"",\nc"\r\n2,NULL\n\n3,"NULL"\n4,\\N\n5,';
    expect(await rowsOf(csvRows, text)).toEqual([
      [2, { guild_id: "1", info: 'a "b",\nc' }],
      [4, { guild_id: "2", info: null }],
      [6, { guild_id: "3", info: "NULL" }],
      [7, { guild_id: "4", info: null }],
      [8, { guild_id: "5", info: "" }],
    ]);
  });

  test("in JSON keeps each digit of an id, in an array or an object on each line", async () => {
    const objects = [
      '{"GUILD_ID": 375357265198317579,\n "info": "}\\"{", "enabled": true}',
      '{"guild_id": "2", "info": null}',
    ];
    const fields = [
      { guild_id: "375357265198317579", info: '}"{', enabled: "true" },
      { guild_id: "2", info: null },
    ];
    expect(await rowsOf(jsonRows, `[\n${objects.join(",\n")}\n]\n`)).toEqual([
      [2, fields[0]],
      [4, fields[1]],
    ]);
    expect(await rowsOf(jsonRows, objects.join("\n"))).toEqual([
      [1, fields[0]],
      [3, fields[1]],
    ]);
  });

  test.each([
    ["CSV with a row of another length", csvRows, "a,b\n1,2\n1,2,3", "line 3: has 3 fields"],
    ["CSV with an open quotation mark", csvRows, 'a,b\n1,"2\n', "line 2: has a quotation mark that is not closed"],
    ["CSV with a mark within a value", csvRows, 'a\n1"2"\n', "line 2: has a quotation mark within a value"],
    ["CSV with an endless row", csvRows, `a\n"${"x\n".repeat(MAX_ROW_LENGTH / 2)}`, "line 2: is longer than"],
    ["CSV with an endless line", csvRows, `a\n${"x".repeat(2 * MAX_ROW_LENGTH)}`, "line 2: is longer than"],
    ["JSON that was cut", jsonRows, '[{"a":1},\n{"a"', "line 2: is not complete"],
    ["JSON of other values", jsonRows, "[1, 2]", "line 1: is no JSON object"],
    ["JSON with an error", jsonRows, '{"a":1}\n{"a" 1}', "line 2: is malformed JSON"],
    ["JSON with an endless object", jsonRows, `{"a":"${"x".repeat(2 * MAX_ROW_LENGTH)}`, "line 1: is longer than"],
  ])("as %s is refused with its line", async (_what, read, text, message) => {
    await expect(Array.fromAsync((read as RowReader)(inPieces(text, 65_536)))).rejects.toThrow(message);
  });

  test("has bits in the forms of several programs", () => {
    expect(["1", "true", "\u0001", "b'1'"].map((bit) => bitIn(row({ bit }), "bit"))).toEqual([true, true, true, true]);
    expect(["0", "\u0000", "b'0'"].map((bit) => bitIn(row({ bit }), "bit"))).toEqual([false, false, false]);
    expect(["", null, "2"].map((bit) => bitIn(row({ bit }), "bit"))).toEqual([undefined, undefined, undefined]);
  });
});
