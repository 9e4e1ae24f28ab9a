import { randomBytes } from "node:crypto";
import { natsPermissions } from "./nats-permissions.ts";
import type { NatsUsers } from "./embedded-nats.ts";
import { type ServiceName, SERVICES } from "../contracts/service-names.ts";

/** The name under which nats-server finds a service's password: in its configuration, or in its environment. */
function passwordVariable(service: string): string {
  return `${service.toUpperCase().replaceAll("-", "_")}_PASSWORD`;
}

/** The part of nats-server's configuration that lets in a user a service, each for its own subjects alone. */
export function natsUsers(): string {
  return ["authorization {", "  timeout: 5", "  users: [", ...SERVICES.toSorted().flatMap(user), "  ]", "}", ""].join(
    "\n",
  );
}

function user(service: ServiceName): string[] {
  const { publish, subscribe } = natsPermissions(service);
  return [
    "    {",
    `      user: ${service}, password: $${passwordVariable(service)}`,
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
export interface UsersOfOneStart extends NatsUsers {
  /** Where the service reaches a server on the port, as its own user. */
  urlOf(service: ServiceName, port: number): string;
}

export function usersOfOneStart(): UsersOfOneStart {
  const password = new Map(SERVICES.map((service) => [service, randomBytes(32).toString("hex")]));
  return {
    configuration: natsUsers(),
    // In quotes, as nats-server reads a value of the environment like one of its configuration: one of digits as a number.
    passwords: Object.fromEntries([...password].map(([service, word]) => [passwordVariable(service), `"${word}"`])),
    urlOf: (service, port) => `nats://${service}:${password.get(service)}@127.0.0.1:${port}`,
  };
}
