import { BUS_USER_NAME, MAX_BUS_USERS, NKEY } from "../../api/bus/bus-user.ts";
import type { NatsBusUser } from "../permissions/nats-users.ts";

/** The message from the gateway's process to its supervisor, which owns the nats-server: the current bus users. */
export function busUsersMessage(users: readonly NatsBusUser[]): object {
  return { busUsers: users.map(({ name, access, publicKey }) => ({ name, access, publicKey })) };
}

/**
 * The users in a message; undefined for any other message. The supervisor writes them into the configuration of
 * nats-server, so it validates every field: a compromised gateway can add bus users, but cannot give anyone other
 * permissions.
 */
export function busUsersIn(message: unknown): readonly NatsBusUser[] | undefined {
  const { busUsers } = Object(message) as { readonly busUsers?: unknown };
  return Array.isArray(busUsers) && busUsers.length <= MAX_BUS_USERS && busUsers.every(isBusUser)
    ? busUsers
    : undefined;
}

function isBusUser(value: unknown): value is NatsBusUser {
  const { name, access, publicKey } = Object(value) as Readonly<Record<string, unknown>>;
  const isText = [name, publicKey].every((each) => typeof each === "string");
  return (
    isText &&
    BUS_USER_NAME.test(String(name)) &&
    NKEY.test(String(publicKey)) &&
    (access === "read" || access === "write")
  );
}
