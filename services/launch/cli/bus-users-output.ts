import type { BusUserRecord } from "../../api/bus/bus-user.ts";
import { timeText } from "./time-text.ts";

/** The credentials of a new bus user. The seed is not stored, and cannot be shown again. */
export interface CreatedBusUser {
  readonly name: string;
  /** Moleculer's `namespace`. */
  readonly namespace: string;
  /** The seed of the NKey, with which the user authenticates. */
  readonly seed: string;
}

export function createdText(user: CreatedBusUser, json: boolean): string {
  if (json) return JSON.stringify(user);
  return [
    user.seed,
    "(the seed is shown only now: guildcal stores only the public key)",
    `namespace ${user.namespace}`,
  ].join("\n");
}

/** One line for each user. */
export function busUserListText(users: readonly BusUserRecord[], json: boolean): string {
  if (json) return JSON.stringify(users);
  return users.length === 0 ? "No bus user was ever created" : users.map(line).join("\n");
}

function line({ name, access, guilds, publicKey, createdAt, createdBy, ...ended }: BusUserRecord): string {
  const { revokedAt, revokedBy = "" } = ended;
  const state = revokedAt === undefined ? "valid" : `revoked ${timeText(revokedAt)} by ${revokedBy}`;
  const scope = guilds.length === 0 ? "all guilds" : `guilds ${guilds.join(",")}`;
  return [name, state, access, scope, `created ${timeText(createdAt)} by ${createdBy}`, publicKey].join("  ");
}
