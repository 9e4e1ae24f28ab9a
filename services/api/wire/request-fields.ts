import type { IfRevision } from "../../contracts/revision.ts";
import { isObject } from "./exact-json.ts";
import { NO_FIELD } from "./no-field.ts";

/** The field of a param in a request: its name on the wire, and the conversion of its value. */
export interface WireField {
  readonly wire: string;
  /** Never throws: a value that it cannot convert stays unchanged, and the contract's check names the field. */
  readonly decode: (value: unknown) => unknown;
  /** The value of the param if the request omits the field. */
  readonly defaultValue?: unknown;
  /** The members of an object. */
  readonly fields?: readonly RequestField[];
  /** Set for a time in Unix milliseconds, or a list of times: one before 1980 causes a warning (D37). */
  readonly isTime?: true;
}

/** A field with the name of its param. */
export interface RequestField extends WireField {
  readonly param: string;
}

/**
 * The fields of a request by the params of its action, in the order of the API document. `ifRevision` comes from the
 * header `If-Match`.
 */
export type RequestFields<Params> = {
  readonly [Param in Exclude<keyof Params, keyof IfRevision>]-?: WireField | typeof NO_FIELD;
};

export function requestFields<Params>(table: RequestFields<Params>): readonly RequestField[] {
  const entries = Object.entries<WireField | typeof NO_FIELD>(table);
  return entries.flatMap(([param, each]) => (each === NO_FIELD ? [] : [{ ...each, param }]));
}

export function field(wire: string, decode: WireField["decode"] = unchanged): WireField {
  return { wire, decode };
}

/** A time in Unix milliseconds. */
export function timeField(wire: string): WireField {
  return { ...field(wire, asInteger), isTime: true };
}

/** A list of times in Unix milliseconds. */
export function timesField(wire: string): WireField {
  return { ...field(wire, eachOf(asInteger)), isTime: true };
}

/** The meaning of null in a request (D6): `absent` in a create; a `value` elsewhere, which the contract accepts or refuses. */
export type NullMeaning = "absent" | "value";

/** The params of a body. Unknown fields are omitted; only own properties are read. */
export function decodeFields(
  body: Readonly<Record<string, unknown>>,
  fields: readonly RequestField[],
  nulls: NullMeaning,
): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const { wire, param, decode, defaultValue } of fields) {
    const value = Object.hasOwn(body, wire) ? body[wire] : undefined;
    if (value === undefined) {
      if (defaultValue !== undefined) params[param] = defaultValue;
    } else if (value !== null) params[param] = decode(value);
    else if (nulls === "value") params[param] = null;
  }
  return params;
}

/** The wire names of params and of members, by their paths such as `recurrence.byDay`. */
export function wireNames(fields: readonly RequestField[]): [path: string, wire: string][] {
  return fields.flatMap(({ wire, param, fields: members = [] }) => [
    [param, wire] as [string, string],
    ...wireNames(members).map(([path, name]): [string, string] => [`${param}.${path}`, name]),
  ]);
}

/** The path without the indexes of lists: `changes[2].byDay[0]` becomes `changes.byDay`. */
export function paramPath(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "");
}

/** The path of a field in wire names: `subscribersRole[2]` becomes `subscribers_role[2]`. */
export function wirePath(path: string, wireOf: ReadonlyMap<string, string>): string {
  let params = "";
  const names = path.split(".").map((segment) => {
    const [name = segment] = segment.split("[", 1);
    params += params === "" ? name : `.${name}`;
    const wire = wireOf.get(params) ?? (name.startsWith(UNKNOWN_PREFIX) ? name.slice(UNKNOWN_PREFIX.length) : name);
    return wire + segment.slice(name.length);
  });
  return names.join(".");
}

function unchanged(value: unknown): unknown {
  return value;
}

/** A guild id, as a JSON integer or as a string, becomes its decimal digits (D7). A rounded number stays invalid. */
function asGuildId(value: unknown): unknown {
  return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : value;
}

/** An integer beyond 2^53 exceeds the range of every field: as a finite number it gets the error of the range. */
export function asInteger(value: unknown): unknown {
  if (typeof value !== "bigint" && typeof value !== "number") return value;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(value)));
}

/** Converts the values of enumerations, which clients may spell in any case, to upper case (D10, D14, D23). */
export function asEnumValue(value: unknown): unknown {
  // Only ASCII: toUpperCase would turn a long s and a dotless i into S and I.
  return typeof value === "string" ? value.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()) : value;
}

/** Decodes each entry of a list; any other value stays unchanged. */
export function eachOf(decode: WireField["decode"]): WireField["decode"] {
  return (value) => (Array.isArray(value) ? value.map(decode) : value);
}

/** Marks an unknown member that has the name of a param: the check would take it for that param. */
const UNKNOWN_PREFIX = "?";

/**
 * A field whose value is an object; its name is the same on the wire and in the params. Unknown members stay, so that the
 * contract's check names them (D37).
 */
export function objectField<Members>(
  wire: string,
  members: RequestFields<Members>,
  nulls: NullMeaning,
): WireField & Required<Pick<WireField, "fields">> {
  const fields = requestFields(members);
  const known = new Set(fields.map((each) => each.wire));
  const params = new Set(fields.map((each) => each.param));
  const decode = (value: unknown) => {
    if (!isObject(value)) return value;
    const unknown = Object.entries(value).filter(([name]) => !known.has(name));
    const marked = unknown.map(([name, member]) => [params.has(name) ? UNKNOWN_PREFIX + name : name, member] as const);
    return { ...Object.fromEntries(marked), ...decodeFields(value, fields, nulls) };
  };
  return { ...field(wire, decode), fields };
}

/** A list of objects, each with some of the fields; `decode` converts an entry. */
export function objectsField(wire: string, fields: readonly RequestField[], decode: WireField["decode"]): WireField {
  return { ...field(wire, eachOf(decode)), fields };
}

export const guildField = field("guild_id", asGuildId);

/** The guilds of an API key. */
export const guildsField = field("guilds", eachOf(asGuildId));
