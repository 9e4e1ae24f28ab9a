import FastestValidator, { type ValidationError } from "fastest-validator";
import type { ActionContract, FieldProblem, FieldProblemCode } from "../services/contracts/contract.ts";

/** By the library's names of errors; a rule may have words of its own for one of them (`messages`). */
const WORDS: Record<string, readonly [code: FieldProblemCode, message: string]> = {
  required: ["REQUIRED", "is required"],
  string: ["WRONG_TYPE", "must be a string"],
  number: ["WRONG_TYPE", "must be an integer"],
  numberInteger: ["WRONG_TYPE", "must be an integer"],
  numberMin: ["OUT_OF_RANGE", "must be at least {expected}"],
  numberMax: ["OUT_OF_RANGE", "must be at most {expected}"],
  numberNotEqual: ["OUT_OF_RANGE", "must not be {expected}"],
  boolean: ["WRONG_TYPE", "must be true or false"],
  array: ["WRONG_TYPE", "must be an array"],
  arrayMax: ["TOO_MANY", "must have at most {expected} entries"],
  object: ["WRONG_TYPE", "must be an object"],
  objectStrict: ["NOT_ALLOWED", "has unknown fields"],
  stringMax: ["TOO_LONG", "must be at most {expected} characters"],
  malformed: ["MALFORMED", "must be {expected}"],
  stringEnum: ["NOT_ALLOWED", "must be one of {expected}"],
};

const Validator = FastestValidator as unknown as typeof FastestValidator.default;
const NOT_NULL = { nullable: false };
const validator = new Validator({
  useNewCustomCheckerFunction: true,
  // As it comes, the library takes null for every optional field; here only for a field that says so (D6).
  considerNullAsAValue: true,
  messages: Object.fromEntries(Object.entries(WORDS).map(([type, [, message]]) => [type, message])),
  defaults: {
    string: NOT_NULL,
    number: NOT_NULL,
    boolean: NOT_NULL,
    array: NOT_NULL,
    object: NOT_NULL,
  },
});

/** Says of params what is wrong with them, every bad field at once (D4); empty when they are good. */
export type ParamsCheck = (params: object) => FieldProblem[];

const checks = new WeakMap<object, ParamsCheck>();

/** The check of a contract, compiled once. It changes nothing in the params, and never repeats a value of theirs. */
export function paramsCheck<Params>(
  contract: Pick<ActionContract<Params, unknown>, "params" | "together">,
): ParamsCheck {
  const known = checks.get(contract);
  if (known !== undefined) return known;
  const validate = validator.compile({ ...contract.params, $$strict: true });
  const check: ParamsCheck = (params) => {
    // Of a copy: the library writes `undefined` into what it checks, for each absent field with a check of its own.
    const outcome = validate({ ...params });
    const problems = outcome === true ? [] : (outcome as ValidationError[]).map(problemOf);
    const named = new Set(problems.map((problem) => problem.field));
    const tied = contract.together?.(params) ?? [];
    return [...problems, ...tied.filter((problem) => !named.has(problem.field))];
  };
  checks.set(contract, check);
  return check;
}

function problemOf(error: ValidationError): FieldProblem {
  if (error.actual === null) return { field: error.field ?? "params", code: "WRONG_TYPE", message: "must not be null" };
  const [code] = WORDS[error.type] ?? ["MALFORMED"];
  // The library's own words for what is not in the table would repeat the value.
  const message = Object.hasOwn(WORDS, error.type) ? String(error.message) : "is not valid";
  const problem = { field: error.field ?? "params", code, message };
  return error.type === "stringEnum" ? { ...problem, allowed: String(error.expected).split(", ") } : problem;
}
