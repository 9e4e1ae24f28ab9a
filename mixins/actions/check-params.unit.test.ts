import { describe, expect, test } from "@jest/globals";
import { action } from "../../services/contracts/contract.ts";
import {
  clearable,
  flag,
  guildId,
  integer,
  listOf,
  oneOf,
  optional,
  snowflake,
  text,
} from "../../services/contracts/field-rules.ts";
import { paramsCheck } from "./check-params.ts";

const recurrence = { type: "object", strict: true, optional: true, props: { count: optional(integer(1, 9)) } };
const contract = action<Record<string, unknown>, void>({
  name: "test.check",
  params: {
    name: clearable(text(4)),
    lang: optional(oneOf(["A", "B"])),
    flag: optional(flag),
    amount: optional(integer(1, 9)),
    roles: optional(listOf(snowflake, 2)),
    recurrence,
    rules: {
      type: "array",
      optional: true,
      min: 1,
      max: 2,
      items: { type: "object", strict: true, props: { at: integer(1, 9) } },
    },
  },
  keys: "none",
  idempotent: true,
});
const check = paramsCheck(contract);

describe("the check of params", () => {
  test("null passes where the contract says that it clears, and nowhere else (D6)", () => {
    expect(check({ name: null })).toEqual([]);
    const nulls = { lang: null, flag: null, amount: null, roles: null, recurrence: null };
    expect(check(nulls)).toEqual(
      Object.keys(nulls).map((field) => ({ field, code: "WRONG_TYPE", message: "must not be null" })),
    );
    expect(check({ recurrence: { count: null } })).toMatchObject([{ field: "recurrence.count", code: "WRONG_TYPE" }]);
  });

  test("the check does not change the params: an absent field stays absent", () => {
    const params = { amount: 1, recurrence: {} };
    check(params);
    expect([Object.keys(params), params.recurrence]).toEqual([["amount", "recurrence"], {}]);
  });

  test("a value that is not text is of the wrong type, even if only certain words are allowed", () => {
    const wrong = { code: "WRONG_TYPE", message: "must be a string" };
    expect(check({ name: 1, lang: true, roles: [1] })).toEqual([
      { field: "name", ...wrong },
      { field: "lang", ...wrong },
      { field: "roles[0]", ...wrong },
    ]);
  });

  test.each([1.5, true, {}, "0", "x", "9223372036854775808", "1".repeat(30)])(
    "the error for the guild %p, alone or in a list, says what a guild id is (D7)",
    (guild) => {
      const guilds = paramsCheck({ params: { guild: guildId, guilds: listOf(guildId, 9) } });
      const message = "must be an integer from 1 to 9223372036854775807 (a number or a string)";
      expect(guilds({ guild, guilds: ["1", guild] })).toMatchObject([
        { field: "guild", message },
        { field: "guilds[1]", message },
      ]);
    },
  );

  test("no value is converted to text: a value without a text form is refused like any other", () => {
    const textless = [{ toString: 1, valueOf: 1 }];
    expect(() => String(textless)).toThrow(TypeError);
    const all = paramsCheck({ params: { ...contract.params, guild: guildId } });
    const fields = ["name", "lang", "flag", "amount", "recurrence", "guild"];
    expect(all(Object.fromEntries(fields.map((field) => [field, textless])))).toEqual(
      fields.map((field) => ({ field, code: "WRONG_TYPE", message: expect.stringMatching(/^must be /) })),
    );
  });

  test("a missing guild or a null guild gets one problem", () => {
    const guild = paramsCheck({ params: { guild: guildId } });
    expect(guild({})).toEqual([{ field: "guild", code: "REQUIRED", message: "is required" }]);
    expect(guild({ guild: null })).toEqual([{ field: "guild", code: "WRONG_TYPE", message: "must not be null" }]);
  });

  test("the error of a value never repeats the value", () => {
    const strange = paramsCheck({ params: { mail: { type: "email" } } });
    expect(strange({ mail: "hunter2" })).toEqual([{ field: "mail", code: "MALFORMED", message: "is not valid" }]);
  });

  test("one response names every bad field, with the values that would be accepted (D4)", () => {
    expect(check({ name: "abcde", lang: "C", amount: 10, roles: ["1", "x"], unknown: 1 })).toMatchObject([
      { field: "name", code: "TOO_LONG" },
      { field: "lang", code: "NOT_ALLOWED", allowed: ["A", "B"] },
      { field: "amount", code: "OUT_OF_RANGE" },
      { field: "roles[1]", code: "MALFORMED" },
      { field: "unknown", code: "NOT_ALLOWED" },
    ]);
  });
});
