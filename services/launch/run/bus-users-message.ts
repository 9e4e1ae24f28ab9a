import { BUS_USER_NAME, MAX_BUS_USERS, NKEY } from "../../api/bus/bus-user.ts";
import type { NatsBusUser } from "../permissions/nats-users.ts";

/** What the gateway's process tells its supervisor, which owns the nats-server: whom it shall let in. */
export function busUsersMessage(users: readonly NatsBusUser[]): object {
  return { busUsers: users.map(({ name, access, publicKey }) => ({ name, access, publicKey })) };
}

/**
 * The users in a message; undefined for any other message. The supervisor writes them into a configuration: whatever the
 * gateway's process says, nobody gets other rights than a bus user's.
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
