import type { BusUserRecord } from "../../api/bus/bus-user.ts";

/** What a bus user needs to join; the seed is shown once. */
export interface CreatedBusUser {
  readonly name: string;
  /** Moleculer's `namespace`. */
  readonly namespace: string;
  /** The NKey's seed, by which the user proves who it is. */
  readonly seed: string;
}

export function createdText(user: CreatedBusUser, json: boolean): string {
  if (json) return JSON.stringify(user);
  return [user.seed, "(the seed is shown this once: only its public key is kept)", `namespace ${user.namespace}`].join(
    "\n",
  );
}

/** Every user, a line each. */
export function busUserListText(users: readonly BusUserRecord[], json: boolean): string {
  if (json) return JSON.stringify(users);
  return users.length === 0 ? "No bus user was ever made" : users.map(line).join("\n");
}

function line({ name, access, guilds, publicKey, createdAt, createdBy, ...ended }: BusUserRecord): string {
  const { revokedAt, revokedBy = "" } = ended;
  const state = revokedAt === undefined ? "valid" : `revoked ${shownTime(revokedAt)} by ${revokedBy}`;
  const opens = guilds.length === 0 ? "all guilds" : `guilds ${guilds.join(",")}`;
  return [name, state, access, opens, `made ${shownTime(createdAt)} by ${createdBy}`, publicKey].join("  ");
}

function shownTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}
