import type { ResponseField, JsonSchema } from "./response-fields.ts";
import { nearestName } from "./nearest-name.ts";
import { isObject } from "./exact-json.ts";
import type { RequestField } from "./request-fields.ts";

/** A warning about a successful request: a field that had no effect or looks like a mistake (D37). */
export interface Warning {
  /** The name of the field in the request; a long name is cut. */
  readonly field: string;
  readonly code: WarningCode;
  readonly message: string;
}

const WARNING_CODES = ["BEFORE_1980", "UNKNOWN_FIELD"] as const;
type WarningCode = (typeof WARNING_CODES)[number];

/** Warnings in one response: a body of 64 KiB has room for thousands of unknown fields. */
const MAX_WARNINGS = 10;

/** 1980-01-01T00:00:00Z. As seconds, this number would be in the year 11968: a smaller one may be a time in seconds. */
const START_OF_1980_MS = 315_532_800_000;

interface WarnedFields {
  readonly fields: readonly RequestField[];
  /** Fields of the resource that a client may send back but that the request does not set (D6, D27). */
  readonly readOnly: readonly string[];
}

/** The warnings about a request body; `decoded` is the same body in the names of the params. */
export function warningsFor({ fields, readOnly }: WarnedFields): (body: object, decoded: object) => readonly Warning[] {
  const names = fields.map(({ wire }) => wire);
  const known = new Set([...names, ...readOnly]);
  return (body, decoded) => {
    const warnings = timeWarnings(fields, decoded as Record<string, unknown>).slice(0, MAX_WARNINGS);
    for (const field of Object.keys(body)) {
      if (warnings.length >= MAX_WARNINGS) break;
      if (!known.has(field)) warnings.push(unknownField(field, names));
    }
    return warnings;
  };
}

/** A warning for each time before 1980, also in lists and in objects, with the path of its field. */
function timeWarnings(
  fields: readonly RequestField[],
  decoded: Readonly<Record<string, unknown>>,
  path = "",
): Warning[] {
  return fields.flatMap(({ wire, param, isTime, fields: members }) => {
    const value = decoded[param];
    const field = path + wire;
    if (members !== undefined) return timeWarningsIn(members, value, field);
    if (isTime !== true) return [];
    if (!Array.isArray(value)) return timeWarning(field, value);
    return value.flatMap((entry, at) => timeWarning(`${field}[${at}]`, entry));
  });
}

/** The warnings about the times of an object, or of the objects of a list. */
function timeWarningsIn(members: readonly RequestField[], value: unknown, path: string): Warning[] {
  if (Array.isArray(value)) return value.flatMap((entry, at) => timeWarningsIn(members, entry, `${path}[${at}]`));
  return isObject(value) ? timeWarnings(members, value, `${path}.`) : [];
}

function timeWarning(field: string, ms: unknown): Warning[] {
  if (typeof ms !== "number" || ms >= START_OF_1980_MS) return [];
  const message = "is before 1980: times are Unix milliseconds, and this one may be in seconds";
  return [{ field, code: "BEFORE_1980", message }];
}

/** Largest number of wrong characters in a name for which a known name is suggested. */
const MAX_TYPOS = 2;

function unknownField(field: string, names: readonly string[]): Warning {
  const suggestion = nearestName(field, names, Math.min(MAX_TYPOS, Math.floor(field.length / 2)));
  const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
  return {
    field: cutName(field),
    code: "UNKNOWN_FIELD",
    message: `is not a field of this request and has no effect${hint}`,
  };
}

const MAX_NAME_LENGTH = 64;

function cutName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 1).toWellFormed()}…`;
}

/** The fields of a response, followed by the warnings if there are any. */
export function withWarnings(
  fields: readonly ResponseField<unknown>[],
  warnings: readonly Warning[],
): readonly ResponseField<unknown>[] {
  if (warnings.length === 0) return fields;
  return [...fields, { wire: "warnings", value: () => warnings, schema: WARNINGS_SCHEMA }];
}

/** The schema for the API document. */
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
