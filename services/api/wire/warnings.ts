import type { AnswerField, JsonSchema } from "./response-fields.ts";
import { nearestName } from "./nearest-name.ts";
import type { WireField } from "./request-fields.ts";

/** Something in a request that was done: it had no effect, or looks like a slip (D37). */
export interface Warning {
  /** As the client spells it; a long name is cut. */
  readonly field: string;
  readonly code: WarningCode;
  readonly message: string;
}

const WARNING_CODES = ["BEFORE_1980", "UNKNOWN_FIELD"] as const;
type WarningCode = (typeof WARNING_CODES)[number];

/** The most warnings in one answer: a body of 64 KiB has room for 10 000 unknown fields. */
const MAX_WARNINGS = 10;

/** 1980-01-01T00:00:00Z. In seconds, every time up to the year 9999 is below it. */
const START_OF_1980_MS = 315_532_800_000;

/** What warnings are made from. */
interface WarnedFields {
  readonly fields: readonly WireField[];
  /** Fields that the resource has, that this request does not set, and that a client may send back (D6, D27). */
  readonly sentBack: readonly string[];
}

/** Makes the warnings about a request's body; `decoded` is the same body under the names of the action's params. */
export function warningsFor({ fields, sentBack }: WarnedFields): (body: object, decoded: object) => readonly Warning[] {
  const names = fields.map(({ wire }) => wire);
  const known = new Set([...names, ...sentBack]);
  const times = fields.filter(({ isTime }) => isTime === true);
  return (body, decoded) => {
    const warnings = times.flatMap(({ wire, param }) => timeWarning(wire, (decoded as Record<string, unknown>)[param]));
    for (const field of Object.keys(body)) {
      if (warnings.length >= MAX_WARNINGS) break;
      if (!known.has(field)) warnings.push(unknownField(field, names));
    }
    return warnings;
  };
}

function timeWarning(field: string, ms: unknown): Warning[] {
  if (typeof ms !== "number" || ms >= START_OF_1980_MS) return [];
  const message = "is before 1980: times are Unix milliseconds, and this one may be in seconds";
  return [{ field, code: "BEFORE_1980", message }];
}

/** So many characters of a name may be wrong, and it is still taken for a slip. */
const MAX_SLIPS = 2;

function unknownField(field: string, names: readonly string[]): Warning {
  const meant = nearestName(field, names, Math.min(MAX_SLIPS, Math.floor(field.length / 2)));
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return {
    field: cutName(field),
    code: "UNKNOWN_FIELD",
    message: `is no field of this request and has no effect${hint}`,
  };
}

const MAX_NAME_LENGTH = 64;

function cutName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 1).toWellFormed()}…`;
}

/** The fields of an answer, and behind them the warnings where there are any. */
export function withWarnings(
  answer: readonly AnswerField<unknown>[],
  warnings: readonly Warning[],
): readonly AnswerField<unknown>[] {
  if (warnings.length === 0) return answer;
  return [...answer, { wire: "warnings", value: () => warnings, schema: WARNINGS_SCHEMA }];
}

/** For the API document. */
export const WARNINGS_SCHEMA: JsonSchema = {
  type: "array",
  maxItems: MAX_WARNINGS,
  items: {
    title: "Warning",
    type: "object",
    properties: {
      field: { type: "string" },
      code: { type: "string", enum: WARNING_CODES },
      message: { type: "string" },
    },
    required: ["field", "code", "message"],
  },
};
