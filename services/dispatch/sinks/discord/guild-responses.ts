import { parseJson } from "./response-body.ts";
import type { Overwrite } from "./permissions.ts";

/** The response of "get channel"; only the fields that are used. */
export interface ChannelResponse {
  /** Absent for a direct message. */
  readonly guildId?: string;
  readonly type: number;
  /** The parent channel of a thread, or the category of a channel. */
  readonly parentId?: string;
  readonly overwrites: readonly Overwrite[];
}

/** The response of "get guild". */
export interface GuildResponse {
  readonly name: string;
  readonly ownerId?: string;
  readonly roles: readonly { readonly id: string; readonly permissions: bigint; readonly mentionable: boolean }[];
}

/** The response of "get guild member". */
export interface MemberResponse {
  readonly roleIds: readonly string[];
  /** Unix milliseconds; NaN if the member is not timed out. */
  readonly timedOutUntil: number;
}

type Json = Readonly<Record<string, unknown>>;

/** Undefined if the text is no channel. */
export function parseChannel(text: string): ChannelResponse | undefined {
  const body = objectOf(parseJson(text));
  if (typeof body?.["type"] !== "number") return undefined;
  const guildId = idAt(body, "guild_id");
  const parentId = idAt(body, "parent_id");
  return {
    type: body["type"],
    ...(guildId === undefined ? {} : { guildId }),
    ...(parentId === undefined ? {} : { parentId }),
    overwrites: objectsAt(body, "permission_overwrites").map((overwrite) => ({
      id: idAt(overwrite, "id") ?? "",
      kind: overwrite["type"] === 1 ? "member" : "role",
      allow: bitsAt(overwrite, "allow"),
      deny: bitsAt(overwrite, "deny"),
    })),
  };
}

/** Undefined if the text is no guild. */
export function parseGuild(text: string): GuildResponse | undefined {
  const body = objectOf(parseJson(text));
  const { name } = body ?? {};
  if (body === undefined || typeof name !== "string") return undefined;
  const ownerId = idAt(body, "owner_id");
  const roles = objectsAt(body, "roles").map((role) => ({
    id: idAt(role, "id") ?? "",
    permissions: bitsAt(role, "permissions"),
    mentionable: role["mentionable"] === true,
  }));
  return { name, roles, ...(ownerId === undefined ? {} : { ownerId }) };
}

/** Undefined if the text is no member. */
export function parseMember(text: string): MemberResponse | undefined {
  const body = objectOf(parseJson(text));
  const roles = body?.["roles"];
  if (body === undefined || !Array.isArray(roles)) return undefined;
  const until = body["communication_disabled_until"];
  return { roleIds: roles.map(String), timedOutUntil: typeof until === "string" ? Date.parse(until) : NaN };
}

function objectOf(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function objectsAt(from: Json, name: string): readonly Json[] {
  const value = from[name];
  return Array.isArray(value) ? value.map(objectOf).filter((each) => each !== undefined) : [];
}

function idAt(from: Json, name: string): string | undefined {
  const value = from[name];
  return typeof value === "string" && /^\d{1,20}$/.test(value) ? value : undefined;
}

/** Permission bits are decimal digits in a string. */
function bitsAt(from: Json, name: string): bigint {
  const value = from[name];
  return typeof value === "string" && /^\d{1,40}$/.test(value) ? BigInt(value) : 0n;
}
