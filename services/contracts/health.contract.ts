import { action } from "./contract.ts";

/** The services of an installation, by their names on the bus; the gateway waits for all of them. */
export const SERVICE_NAMES = ["guild-settings", "calendar-events", "announcements", "dispatch"] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** Whether a service can do its work now. */
export interface Health {
  /** Whether its database answers. */
  readonly database: boolean;
}

export function healthOf(service: ServiceName) {
  return action<Record<string, never>, Health>({
    name: `${service}.health`,
    keys: "none",
    params: {},
    idempotent: true,
  });
}
