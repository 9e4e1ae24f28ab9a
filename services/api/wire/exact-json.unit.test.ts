import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { jsonInteger, parseJsonObject } from "./exact-json.ts";

const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

const SYNTAX = ["{", "}", "[", "]", '"', ",", ":", "\\", "0", "e", "-", ".", " ", "true", "null", "__proto__"];

describe("the parser of bodies", () => {
  test("keeps every digit of an integer that JSON.parse rounds (D7)", () => {
    const text = '{"guild_id":375357265198317579,"low":-9223372036854775808}';
    expect(parseJsonObject(text)).toEqual({ guild_id: 375357265198317579n, low: -9223372036854775808n });
    expect(String((JSON.parse(text) as { guild_id: number }).guild_id)).toBe("375357265198317600");
    expect(JSON.stringify({ guild_id: jsonInteger("375357265198317579") })).toBe('{"guild_id":375357265198317579}');
  });

  test("reads integers that are serialized with the same digits", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const { n } = parseJsonObject(`{"n":${value}}`) as { n: number | bigint };
        expect(BigInt(n)).toBe(value);
        expect(typeof n).toBe(Number.isSafeInteger(Number(value)) ? "number" : "bigint");
      }),
    );
  });

  test.each(['{"n":%}', '{"n" :\n%}', '{"n":[%]}', '{"n":[1,\t%]}', '{"m":"12:1","n":%}'])(
    "keeps every digit at every position of a number: %s",
    (form) => {
      for (const digits of ["9007199254740993", "-9007199254740993", "375357265198317579"]) {
        const { n } = parseJsonObject(form.replace("%", digits)) as { n: unknown };
        expect([n].flat().at(-1)).toBe(BigInt(digits));
      }
    },
  );

  test.each([
    "9007199254740990.6",
    "1.00000000000000000001",
    "-1.00000000000000000001",
    "1e-400",
    "0.1e-400",
    "90071992547409906e-1",
    "375357265198317579.0000000000000000000000001",
    "0.00000000000000000000000000000000001e34",
  ])("reads a fraction as no integer, even if a double would round it to one: %s", (number) => {
    for (const text of [`{"n":${number}}`, `{"n": [\n${number}]}`]) {
      const { n } = parseJsonObject(text) as { n: unknown };
      expect(Number.isInteger([n].flat()[0])).toBe(false);
    }
    expect(Number.isInteger(JSON.parse(number)) || number.endsWith("e34")).toBe(true);
  });

  test.each([
    ["1.0", 1],
    ["-1.000", -1],
    ["1e3", 1000],
    ["1500e-2", 15],
    ["1.5E+1", 15],
    ["0e9999999999", 0],
    ["0.0", 0],
    ["9007199254740991.0", Number.MAX_SAFE_INTEGER],
  ])("reads an integer in every notation, with every digit (JSON Schema 2020-12, 4.2.3): %s", (number, read) => {
    expect(parseJsonObject(`{"n":${number}}`)).toEqual({ n: read });
  });

  test.each(["9007199254740992.0", "3.75357265198317579e17", "375357265198317579e0", "-0.9007199254740993e16"])(
    "reads no id beyond 2^53 from a number with a point or an exponent: %s",
    (number) => {
      const { n } = parseJsonObject(`{"n":${number}}`) as { n: unknown };
      expect([typeof n, Number.isSafeInteger(n)]).toEqual(["number", false]);
    },
  );

  test("reads an integer of 60 000 digits as out of range, without computing it", () => {
    expect(parseJsonObject(`{"n":${"9".repeat(60_000)}}`)).toEqual({ n: Infinity });
    expect(parseJsonObject(`{"n":1e41,"m":1e999999999}`)).toEqual({ n: 1e41, m: Infinity });
  });

  test("refuses more than 16 levels of nesting (D8), before 30 kB of brackets can overflow the stack", () => {
    expect(parseJsonObject(nested(16))).toEqual(JSON.parse(nested(16)));
    const tooDeep = "must be nested at most 16 levels deep";
    expect(parseJsonObject(nested(17))).toBe(tooDeep);
    expect(parseJsonObject(nested(15_000))).toBe(tooDeep);
    expect(() => JSON.stringify(JSON.parse(nested(15_000)))).toThrow(RangeError);
  });

  test("counts no brackets and quotes within strings as nesting", () => {
    const text = JSON.stringify({ a: '[{"'.repeat(40), b: "\\", c: '\\"[[[[[[[[[[[[[[[[[[[[' });
    expect(parseJsonObject(text)).toEqual(JSON.parse(text));
  });

  test.each([
    ["1e400", Infinity],
    ["-1e400", -Infinity],
    ["9".repeat(400) + ".5", Infinity],
  ])("leaves a number beyond all doubles to the rule of its field: %.10s", (number, read) => {
    expect(parseJsonObject(`{"a":${number}}`)).toEqual({ a: read });
  });

  test.each([
    "",
    " ",
    "{",
    "[]",
    "null",
    "1",
    '"x"',
    "{}{}",
    "{'a':1}",
    '{"a":01}',
    '{"a":NaN}',
    "undefined",
    "{}\u0000",
  ])("refuses a text that is not one object: %p", (text) => {
    expect(parseJsonObject(text)).toBe("must be one JSON object");
  });

  test("takes the last of duplicate keys (D8)", () => {
    expect(parseJsonObject('{"a":1,"b":2,"a":{"c":3,"c":4}}')).toEqual({ a: { c: 4 }, b: 2 });
  });

  test("reads __proto__ as an ordinary property (D8)", () => {
    const text =
      '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}';
    const value = parseJsonObject(text) as Record<string, object>;
    expect(Object.keys(value)).toEqual(["__proto__", "a", "constructor"]);
    expect([Object.getPrototypeOf(value), Object.getPrototypeOf(value["a"])]).toEqual([
      Object.prototype,
      Object.prototype,
    ]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(Object.getPrototypeOf(Object.assign({}, value))).toEqual({ polluted: 1 });
  });

  test("reads JSON as JSON.parse does, and never throws", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5, stringUnit: "binary" })), (value) => {
        const text = JSON.stringify(value);
        const read = parseJsonObject(text);
        const rounded = JSON.stringify(read, (_key, each: unknown) => (typeof each === "bigint" ? Number(each) : each));
        expect(typeof read === "string" ? text : rounded).toBe(text);
      }),
    );
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...SYNTAX) }), (text) => void parseJsonObject(text)));
  });
});
