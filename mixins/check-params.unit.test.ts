import { describe, expect, test } from "@jest/globals";
import { action } from "../services/contracts/contract.ts";
import {
  clearable,
  flag,
  integer,
  listOf,
  oneOf,
  optional,
  snowflake,
  text,
} from "../services/contracts/field-rules.ts";
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

  test("what is checked is left as it came: an absent field stays absent", () => {
    const params = { amount: 1 };
    check(params);
    expect(Object.keys(params)).toEqual(["amount"]);
  });

  test("every bad field is named at once, with the values that would be accepted (D4)", () => {
    expect(check({ name: "abcde", lang: "C", amount: 10, roles: ["1", "x"], unknown: 1 })).toMatchObject([
      { field: "name", code: "TOO_LONG" },
      { field: "lang", code: "NOT_ALLOWED", allowed: ["A", "B"] },
      { field: "amount", code: "OUT_OF_RANGE" },
      { field: "roles[1]", code: "MALFORMED" },
      { field: "params", code: "NOT_ALLOWED" },
    ]);
  });
});
