import FastestValidator, { type ValidationError } from "fastest-validator";
import type { ActionContract } from "../../services/contracts/contract.ts";
import type { FieldProblem, FieldProblemCode } from "../../services/contracts/field-problem.ts";

const Validator = FastestValidator as unknown as typeof FastestValidator.default;
const NOT_NULL = { nullable: false };
const validator = new Validator({
  useNewCustomCheckerFunction: true,
  // By default the library accepts null for every optional field. Here a field must allow null explicitly (D6).
  considerNullAsAValue: true,
  // The library's own messages convert the invalid value to text, which throws for a list of `{"toString": 1}`.
  messages: Object.fromEntries(Object.keys(new Validator().messages).map((type) => [type, ""])),
  defaults: {
    string: NOT_NULL,
    number: NOT_NULL,
    boolean: NOT_NULL,
    array: NOT_NULL,
    object: NOT_NULL,
    any: NOT_NULL,
  },
});

/**
 * Returns the problems of all invalid fields (decision D4 in docs/decisions.md); empty for valid params. A field may break
 * several rules and then has several problems.
 */
export type ParamsCheck = (params: object) => FieldProblem[];

const checks = new WeakMap<object, ParamsCheck>();

/**
 * Compiles the check of a contract, once. The messages contain no value of the params. The check changes no value of the
 * params, but may add members that are `undefined` to nested objects.
 */
export function paramsCheck<Params>(
  contract: Pick<ActionContract<Params, unknown>, "params" | "crossFieldProblems" | "drafts">,
): ParamsCheck {
  const known = checks.get(contract);
  if (known !== undefined) return known;
  const validate = validator.compile({ ...contract.params, $$strict: true });
  const check: ParamsCheck = (params) => {
    // The library adds an `undefined` member for each absent field with a custom check, so it gets a copy. The copy is
    // shallow, because a deep one costs more than the check.
    const outcome = validate({ ...params });
    const problems =
      outcome === true ? [] : (outcome as ValidationError[]).flatMap((error) => problemsOf(error, params));
    const reported = new Set(problems.map((problem) => problem.field));
    const crossField = [...(contract.crossFieldProblems?.(params) ?? []), ...draftProblems(contract, params)];
    return [...problems, ...crossField.filter((problem) => !reported.has(problem.field))];
  };
  checks.set(contract, check);
  return check;
}

/**
 * The problems of the drafts: those that the draft's action would report, with the index of the draft in the path. A
 * draft has no guild of its own; the action gets the guild of the params.
 */
function draftProblems({ drafts }: Pick<ActionContract<never, unknown>, "drafts">, params: object): FieldProblem[] {
  const { guildId, changes } = params as { readonly guildId?: unknown; readonly changes?: unknown };
  if (drafts === undefined || !Array.isArray(changes)) return [];
  return changes.flatMap((change: unknown, at) => {
    const { action, ...given } = Object(change) as { readonly action?: unknown };
    const contract = typeof action === "string" && Object.hasOwn(drafts.contracts, action) && drafts.contracts[action];
    if (contract === undefined || contract === false) return [];
    const problems = paramsCheck(contract as ActionContract<object, unknown>)({ ...given, guildId });
    const own = problems.filter(({ field }) => field !== "guildId");
    return own.map((problem) => withPath(`changes[${at}]`, problem));
  });
}

/** The problem of a field within an object at this path. */
export function withPath(path: string, problem: FieldProblem): FieldProblem {
  return { ...problem, field: `${path}.${problem.field}` };
}

const MESSAGES: Record<string, readonly [code: FieldProblemCode, text: (expected: unknown) => string]> = {
  required: ["REQUIRED", () => "is required"],
  string: ["WRONG_TYPE", () => "must be a string"],
  number: ["WRONG_TYPE", () => "must be an integer"],
  numberInteger: ["WRONG_TYPE", () => "must be an integer"],
  numberMin: ["OUT_OF_RANGE", (least) => `must be at least ${String(least)}`],
  numberMax: ["OUT_OF_RANGE", (most) => `must be at most ${String(most)}`],
  numberNotEqual: ["OUT_OF_RANGE", (value) => `must not be ${String(value)}`],
  boolean: ["WRONG_TYPE", () => "must be true or false"],
  array: ["WRONG_TYPE", () => "must be an array"],
  arrayMin: ["TOO_SHORT", (least) => `must have at least ${String(least)} ${least === 1 ? "entry" : "entries"}`],
  arrayMax: ["TOO_MANY", (most) => `must have at most ${String(most)} entries`],
  object: ["WRONG_TYPE", () => "must be an object"],
  stringMax: ["TOO_LONG", (most) => `must be at most ${String(most)} characters`],
  malformed: ["MALFORMED", (hint) => `must be ${String(hint)}`],
  stringEnum: ["NOT_ALLOWED", (values) => `must be one of ${String(values)}`],
};

function problemsOf(error: ValidationError, params: object): FieldProblem[] {
  const { type, field, expected } = error;
  if (type !== "objectStrict") return [problemOf(error)];
  const allowed = String(expected).split(", ");
  if (field === undefined) return unknownMembers("", params, allowed);
  return unknownMembers(field, memberAt(params, field), allowed);
}

/** The value at a path such as `recurrence` or `offsets[2]`. */
function memberAt(params: object, path: string): unknown {
  const names = path.split(/[.[\]]+/).filter((name) => name !== "");
  return names.reduce((value: unknown, name) => (Object(value) as Record<string, unknown>)[name], params);
}

/** Limits of the response: the number of unknown members that are named for one object, and the length of each name. */
const MAX_NAMED_MEMBERS = 10;
const MAX_NAME_LENGTH = 64;

/** Returns a problem for each of the first unknown members of an object (D37). The path of the params is empty. */
function unknownMembers(path: string, value: unknown, allowed: readonly string[]): FieldProblem[] {
  const unknown = Object.keys(Object(value) as object).filter((name) => !allowed.includes(name));
  return unknown.slice(0, MAX_NAMED_MEMBERS).map((name) => ({
    field: `${path === "" ? "" : `${path}.`}${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}`,
    code: "NOT_ALLOWED",
    message: `is unknown: ${path === "" ? "known are" : `${path} has`} ${allowed.join(", ")}`,
    allowed,
  }));
}

function problemOf(error: ValidationError): FieldProblem {
  if (error.actual === null) return { field: error.field ?? "params", code: "WRONG_TYPE", message: "must not be null" };
  const [code, text] = MESSAGES[error.type] ?? ["MALFORMED", () => "is not valid"];
  // If the rule has a message of its own, the error contains it.
  const message = error.message || text(error.expected);
  const problem = { field: error.field ?? "params", code, message };
  return error.type === "stringEnum" ? { ...problem, allowed: String(error.expected).split(", ") } : problem;
}
