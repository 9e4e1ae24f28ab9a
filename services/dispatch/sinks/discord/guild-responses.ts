import { parsed } from "./response-body.ts";
import type { Overwrite } from "./permissions.ts";

/** A channel, as "get channel" answers it; only what is read here. */
export interface ChannelAnswer {
  /** Absent for a direct message. */
  readonly guildId?: string;
  readonly type: number;
  /** The channel of a thread, or the category of a channel. */
  readonly parentId?: string;
  readonly overwrites: readonly Overwrite[];
}

/** A guild, as "get guild" answers it. */
export interface GuildAnswer {
  readonly name: string;
  readonly ownerId?: string;
  readonly roles: readonly { readonly id: string; readonly permissions: bigint; readonly mentionable: boolean }[];
}

/** A member, as "get guild member" answers it. */
export interface MemberAnswer {
  readonly roleIds: readonly string[];
  /** Unix milliseconds; NaN when it is not timed out. */
  readonly timedOutUntil: number;
}

type Json = Readonly<Record<string, unknown>>;

/** Undefined when the text is no channel. */
export function readChannel(text: string): ChannelAnswer | undefined {
  const body = objectOf(parsed(text));
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

/** Undefined when the text is no guild. */
export function readGuild(text: string): GuildAnswer | undefined {
  const body = objectOf(parsed(text));
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

/** Undefined when the text is no member. */
export function readMember(text: string): MemberAnswer | undefined {
  const body = objectOf(parsed(text));
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
