import { randomBytes } from "node:crypto";
import type { BusUser } from "../../api/bus/bus-user.ts";
import { busUserPermissions, type NatsPermissions, natsPermissions } from "./nats-permissions.ts";
import type { NatsUsers } from "../embedded/embedded-nats.ts";
import { type ServiceName, SERVICES } from "../../contracts/service-names.ts";

/** The name under which nats-server finds a service's password: in its configuration, or in its environment. */
function passwordVariable(service: string): string {
  return `${service.toUpperCase().replaceAll("-", "_")}_PASSWORD`;
}

/** A bus user, as far as a NATS server has to know it. */
export type NatsBusUser = Pick<BusUser, "name" | "access" | "publicKey">;

/**
 * The part of nats-server's configuration that lets in a user a service, each for its own subjects alone, and the bus users
 * by their public keys. It holds no secret.
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

/** The whole file of the manifests' users. Passwords are in a file beside it. */
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

/** Users for one life of a nats-server on loopback: other passwords each time. */
export interface TemporaryNatsUsers extends NatsUsers {
  /** Where the service reaches a server on the port, as its own user. */
  urlOf(service: ServiceName, port: number): string;
}

export function temporaryNatsUsers(): TemporaryNatsUsers {
  const password = new Map(SERVICES.map((service) => [service, randomBytes(32).toString("hex")]));
  return {
    configuration: natsAuthorization(),
    // In quotes, as nats-server reads a value of the environment like one of its configuration: one of digits as a number.
    passwords: Object.fromEntries([...password].map(([service, word]) => [passwordVariable(service), `"${word}"`])),
    urlOf: (service, port) => `nats://${service}:${password.get(service)}@127.0.0.1:${port}`,
  };
}
