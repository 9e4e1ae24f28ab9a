/** Names of the services on the bus, in the order in which they stop: callers first. */
export const SERVICES = ["api", "webhooks", "dispatch", "announcements", "calendar-events", "guild-settings"] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The services behind the gateway. */
export type OwnerName = Exclude<ServiceName, "api">;
export const OWNERS: readonly OwnerName[] = SERVICES.toReversed().filter((name) => name !== "api");
