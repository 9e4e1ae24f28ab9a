import { createRequire } from "node:module";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { cborProblem } from "./cbor-check.ts";

interface Codec {
  encode(value: unknown): Buffer;
  decode(bytes: Buffer): unknown;
}

/** The encoder with the options of Moleculer. */
const { Encoder } = createRequire(import.meta.url)("cbor-x") as { Encoder: new (options: object) => Codec };
const codec = new Encoder({ useRecords: false, useTag259ForMaps: false });

const LIMITS = { bytes: 1_000_000, items: 10_000, containers: 1_000, keys: 1_000 };
const problemOf = (hex: string) => cborProblem(Buffer.from(hex.replaceAll(" ", ""), "hex"), LIMITS);

/** Values that contracts accept: texts, numbers, booleans, null, undefined, lists and objects of them. */
const plainValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 20 }),
  ),
})).value;

/** Whether a value consists only of values of `plainValue`. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint" && typeof value !== "symbol";
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}

describe("the check of a packet's bytes", () => {
  test("accepts everything that the encoder writes for plain values", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), plainValue), (packet) => {
        expect(cborProblem(codec.encode(packet), LIMITS)).toBeUndefined();
      }),
    );
  });

  test("accepts no bytes that the decoder fails on, or decodes to anything other than plain values", () => {
    const packet = codec.encode({ ver: "5", sender: "a.b", list: [1, -1, 1.5, null, undefined, true, { text: "é" }] });
    let passed = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(packet.length - 1), fc.nat(255)), { maxLength: 3 }), (changes) => {
        const changed = Buffer.from(packet);
        for (const [at, byte] of changes) changed[at] = byte;
        if (cborProblem(changed, LIMITS) !== undefined) return;
        passed += 1;
        expect(isPlain(codec.decode(changed))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(passed).toBeGreaterThan(100);
  });

  test.each([
    ["a big number", "a1 6161 c2 42 ffff"],
    ["a negative big number", "a1 6161 c3 42 ffff"],
    ["a date", "a1 6161 c1 1a 00000000"],
    ["a decimal fraction", "a1 6161 c4 82 20 01"],
    ["a regular expression", "a1 6161 d81b 83 66526567457870 6178 60"],
    ["a typed array", "a1 6161 d840 41 00"],
    ["a set", "a1 6161 d90102 81 01"],
    ["a shared value", "a1 6161 d81c 80"],
    ["a reference to one", "a1 6161 d81d 00"],
    ["a packed table", "a1 6161 d833 84 81 01 80 80 e0"],
    ["a record, for which the decoder compiles code", "a1 6161 d9dfff 83 19e000 81 6161 01"],
    ["bundled strings", "a1 6161 d9dff9 82 00 60"],
    ["an unknown tag", "a1 6161 d9ffff 01"],
    ["a byte string", "a1 6161 41 00"],
    ["a 64-bit integer", "a1 6161 1b 0000000000000001"],
    ["a half-precision number", "a1 6161 f9 3c00"],
    ["an unassigned simple value", "a1 6161 f8 20"],
  ])("refuses %s", (_, hex) => {
    expect(problemOf(hex)).toMatch(/^a (?:type|length) that no packet has$/);
  });

  test.each([
    ["nothing", "", "not a map"],
    ["a list", "80", "not a map"],
    ["an array of unknown length", "a1 6161 9f ff", "a length that no packet has"],
    ["a map of unknown length", "bf ff", "a length that no packet has"],
    ["a text of unknown length", "a1 6161 7f ff", "a length that no packet has"],
    ["a key that is a number", "a1 01 01", "a key that is no text"],
    ["a key that is a map", "a1 a0 01", "a key that is no text"],
    ["an array of four thousand million", "a1 6161 9a ffffffff", "cut off"],
    ["a map of sixteen million keys", "a1 6161 ba 00ffffff", "a map of more than 200 keys"],
    ["a text that is longer than the packet", "a1 6161 7a ffffffff 00", "cut off"],
    ["a packet without its end", "a2 6161 01", "cut off"],
    ["a length without its end", "a1 6161 19 01", "cut off"],
    ["a number without its end", "a1 6161 fb 0000", "cut off"],
    ["two packets", "a0 a0", "more than one item"],
    ["arrays within arrays", `a1 6161 ${"81".repeat(100)} 00`, "nested more than 24 deep"],
  ])("refuses %s", (_, hex, problem) => {
    expect(problemOf(hex)).toBe(problem);
  });

  test("refuses more bytes, items, arrays, maps and keys than its limits", () => {
    const [texts, lists] = [
      { list: Array.from({ length: 9 }, () => "") },
      { list: Array.from({ length: 9 }, () => []) },
    ];
    const at = (value: object, limits: object) => cborProblem(codec.encode(value), { ...LIMITS, ...limits });
    const { length } = codec.encode(texts);
    expect([at(texts, { bytes: length }), at(texts, { items: 12 }), at(lists, { containers: 11 })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(at(texts, { bytes: length - 1 })).toBe(`larger than ${length - 1} bytes`);
    expect(at(texts, { items: 11 })).toBe("more than 11 items");
    expect(at(lists, { containers: 10 })).toBe("more than 10 arrays and maps");
    const maps = { list: Array.from({ length: 9 }, (_, key) => ({ [key]: 0 })) };
    expect([at(maps, { keys: 10 }), at(maps, { keys: 9 })]).toEqual([undefined, "more than 9 keys"]);
  });
});
