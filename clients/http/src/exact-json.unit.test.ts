import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { parseExactly, stringifyExactly } from "./exact-json.ts";

describe("a response's JSON", () => {
  test("has the id of a guild as the string of its digits, also if JSON.parse would round or keep a number", () => {
    expect(parseExactly('{"guild_id":375357265198317579,"max_calendars":1}')).toEqual({
      guild_id: "375357265198317579",
      max_calendars: 1,
    });
    expect(parseExactly('{"a":[{"guild_id": 7}]}')).toEqual({ a: [{ guild_id: "7" }] });
    expect(parseExactly('{"guild_id":"375357265198317579"}')).toEqual({ guild_id: "375357265198317579" });
  });

  test("has any integer exactly: as a number if that is exact, or as the string of its digits", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const { n } = parseExactly(`{"n":${value}}`) as { n: number | string };
        expect(BigInt(n)).toBe(value);
        expect(typeof n).toBe(Number.isSafeInteger(Number(value)) ? "number" : "string");
      }),
    );
  });

  test("is otherwise equal to the result of JSON.parse, with any strings", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        const json = JSON.stringify({ value, text, long: '\\"guild_id":9007199254740993, 1234567890123456789' });
        const withoutLongIntegers = JSON.parse(json, (_name, each: unknown) =>
          typeof each === "number" && Number.isInteger(each) && !Number.isSafeInteger(each) ? null : each,
        ) as object;
        expect(parseExactly(JSON.stringify(withoutLongIntegers))).toEqual(withoutLongIntegers);
      }),
    );
  });

  test.each(["0.1234567890123456789", "1234567890123456.5", "1e20", "-1.5e-20"])(
    "keeps the fraction %s a number",
    (text) => {
      expect(parseExactly(`{"n":${text},"guild_id":1}`)).toEqual({ n: Number(text), guild_id: "1" });
    },
  );

  test.each(["", "<html>1234567890123456</html>", '{"guild_id":1', '{"a":"\\'])(
    "is refused where it is none: %j",
    (text) => {
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    },
  );
});

describe("a request's JSON", () => {
  test("has a bigint as the string of its digits", () => {
    expect(stringifyExactly({ guild_id: 375357265198317579n, guilds: [1n] })).toBe(
      '{"guild_id":"375357265198317579","guilds":["1"]}',
    );
  });

  test("is refused if a number has lost digits, with the path of the number", () => {
    // oxlint-disable-next-line no-loss-of-precision -- that is the case
    expect(() => stringifyExactly({ guild_id: 375357265198317579 })).toThrow(
      /^guild_id is a number that has lost digits/,
    );
    expect(stringifyExactly({ epoch_start: Number.MAX_SAFE_INTEGER })).toBe('{"epoch_start":9007199254740991}');
  });
});
