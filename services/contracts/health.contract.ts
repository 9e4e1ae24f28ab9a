import { action } from "./contract.ts";
import type { OwnerName } from "./service-names.ts";

/** The state of a service. */
export interface Health {
  /** Whether its database responds. */
  readonly database: boolean;
}

export function healthOf(service: OwnerName) {
  return action<Record<string, never>, Health>({
    name: `${service}.health`,
    keys: "none",
    params: {},
    idempotent: true,
  });
}
