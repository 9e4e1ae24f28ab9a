import { randomBytes } from "node:crypto";
import type { BusUser } from "../../api/bus/bus-user.ts";
import { busUserPermissions, type NatsPermissions, natsPermissions } from "./nats-permissions.ts";
import type { NatsUsers } from "../embedded/embedded-nats.ts";
import { type ServiceName, SERVICES } from "../../contracts/service-names.ts";

/** Name of the variable with the password of a service, in the configuration or the environment of nats-server. */
function passwordVariable(service: string): string {
  return `${service.toUpperCase().replaceAll("-", "_")}_PASSWORD`;
}

/** The fields of a bus user that a NATS server needs. */
export type NatsBusUser = Pick<BusUser, "name" | "access" | "publicKey">;

/**
 * The block `authorization` of nats-server's configuration: a user for each service, only with the permissions that
 * it needs, and the bus users with their public keys. It contains no secret.
 */
export function natsAuthorization(busUsers: readonly NatsBusUser[] = []): string {
  const services = SERVICES.toSorted().map((service) =>
    user(`user: ${service}, password: $${passwordVariable(service)}`, natsPermissions(service)),
  );
  const others = busUsers
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((each) => user(`nkey: ${each.publicKey} # ${each.name}`, busUserPermissions(each)));
  return ["authorization {", "  timeout: 5", "  users: [", ...[...services, ...others].flat(), "  ]", "}", ""].join(
    "\n",
  );
}

const HEAD =
  "# Made by `npm run permissions` from services/launch/permissions/nats-permissions.ts; a test holds it equal.\n";

/** The file with the users in the manifests. A separate file contains the passwords. */
export function natsUsersFile(busUsers: readonly NatsBusUser[] = []): string {
  const head = busUsers.length === 0 ? HEAD : "# Made by `npm run bus-users -- users-conf`.\n";
  return `${head}\n# API_PASSWORD and its like.\ninclude ../../run/secrets/nats/passwords.conf\n\n${natsAuthorization(busUsers)}`;
}

function user(who: string, { publish, subscribe }: NatsPermissions): string[] {
  return [
    "    {",
    `      ${who}`,
    "      permissions {",
    ...list("publish", publish),
    ...list("subscribe", subscribe),
    "      }",
    "    }",
  ];
}

function list(verb: string, subjects: readonly string[]): string[] {
  return [`        ${verb}: [`, ...subjects.map((subject) => `          "${subject}"`), "        ]"];
}

/** Users for one start of a nats-server on loopback, with new passwords each time. */
export interface TemporaryNatsUsers extends NatsUsers {
  /** URL of the user of a service for a server on the port. */
  urlOf(service: ServiceName, port: number): string;
}

export function temporaryNatsUsers(): TemporaryNatsUsers {
  const password = new Map(SERVICES.map((service) => [service, randomBytes(32).toString("hex")]));
  return {
    configuration: natsAuthorization(),
    // Quotes, because nats-server parses values of the environment: digits alone would be a number.
    passwords: Object.fromEntries([...password].map(([service, word]) => [passwordVariable(service), `"${word}"`])),
    urlOf: (service, port) => `nats://${service}:${password.get(service)}@127.0.0.1:${port}`,
  };
}
