import { isObject } from "./exact-json.ts";

/** One field of a request: its name on the wire, the param that it becomes, and how its value is read. */
export interface WireField {
  readonly wire: string;
  readonly param: string;
  /** Total: what it can't read it leaves as it is, for the contract's check to name. */
  readonly decode: (value: unknown) => unknown;
  /** Its param when the request leaves it out. */
  readonly standard?: unknown;
  /** The fields of an object. */
  readonly fields?: readonly WireField[];
  /** Set for a time in Unix milliseconds: one before 1980 is answered with a warning (D37). */
  readonly isTime?: true;
}

export function field(wire: string, param: string = wire, decode: WireField["decode"] = asItIs): WireField {
  return { wire, param, decode };
}

/** A time in Unix milliseconds. */
export function timeField(wire: string, param: string): WireField {
  return { ...field(wire, param, asInteger), isTime: true };
}

/** What null means in a request (D6): `absent` on create; elsewhere it is for the contract to take or to refuse. */
export type NullMeaning = "absent" | "value";

/** The params that a body spells. Fields that nobody knows are left behind, and nothing inherited is ever read. */
export function decodeFields(
  body: Readonly<Record<string, unknown>>,
  fields: readonly WireField[],
  nulls: NullMeaning,
): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const { wire, param, decode, standard } of fields) {
    const value = Object.hasOwn(body, wire) ? body[wire] : undefined;
    if (value === undefined) {
      if (standard !== undefined) params[param] = standard;
    } else if (value !== null) params[param] = decode(value);
    else if (nulls === "value") params[param] = null;
  }
  return params;
}

/** The wire names of params, and of the members of objects by their paths, such as `recurrence.byDay`. */
export function wireNames(fields: readonly WireField[]): [path: string, wire: string][] {
  return fields.flatMap(({ wire, param, fields: members = [] }) => [
    [param, wire] as [string, string],
    ...members.map((member): [string, string] => [`${param}.${member.param}`, member.wire]),
  ]);
}

/** The path of a field as the client spells it: `subscribersRole[2]` is `subscribers_role[2]` again. */
export function wirePath(path: string, wireOf: ReadonlyMap<string, string>): string {
  const [head = path, member] = path.split(/[.[]/, 2);
  const wire = wireOf.get(head) ?? head;
  const rest = path.slice(head.length).replace(`.${UNKNOWN}`, ".");
  const memberWire = wireOf.get(`${head}.${member}`);
  if (member === undefined || memberWire === undefined) return wire + rest;
  return `${wire}.${memberWire}${rest.slice(member.length + 1)}`;
}

function asItIs(value: unknown): unknown {
  return value;
}

/** A guild id as JSON integer or as text becomes its decimal digits (D7). A rounded number is not one. */
function asGuildId(value: unknown): unknown {
  return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : value;
}

/** An integer beyond 2^53 is beyond every range as well: as a finite number, the check can say so. */
export function asInteger(value: unknown): unknown {
  if (typeof value !== "bigint" && typeof value !== "number") return value;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(value)));
}

/** Names of colours, types, languages and frequencies come in any case (D10, D14, D23). */
export function asName(value: unknown): unknown {
  // ASCII alone: the long s and the dotless i would become letters that they are not.
  return typeof value === "string" ? value.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()) : value;
}

/** Reads each entry of a list; what is none it leaves as it is. */
export function eachOf(decode: WireField["decode"]): WireField["decode"] {
  return (value) => (Array.isArray(value) ? value.map(decode) : value);
}

/** Before a member that nobody knows but that is called as a param is: the check would take it for that param. */
const UNKNOWN = "?";

/**
 * A field that is an object of fields of its own; the object has the same name on both sides. Members that nobody knows stay, for
 * the contract's check to refuse by name (D37).
 */
export function objectField(wire: string, fields: readonly WireField[], nulls: NullMeaning): WireField {
  const known = new Set(fields.map((each) => each.wire));
  const params = new Set(fields.map((each) => each.param));
  const decode = (value: unknown) => {
    if (!isObject(value)) return value;
    const unknown = Object.entries(value).filter(([name]) => !known.has(name));
    const marked = unknown.map(([name, member]) => [params.has(name) ? UNKNOWN + name : name, member] as const);
    return { ...Object.fromEntries(marked), ...decodeFields(value, fields, nulls) };
  };
  return { ...field(wire, wire, decode), fields };
}

/** The guild that every request names. */
export const guildField = field("guild_id", "guildId", asGuildId);

/** The guilds that a key opens. */
export const guildsField = field("guilds", "guilds", eachOf(asGuildId));
