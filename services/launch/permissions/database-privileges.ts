import { type ServiceName, SERVICES } from "../../contracts/service-names.ts";

/** The database of an installation. */
export const DATABASE = "guildcal";

/** Name of the user of `npm run backup`, and of its role. MongoDB's own role `backup` can read everything. */
export const BACKUP_USER = "guildcal-backup";
/** Name of the administrator of the embedded MongoDB and of the one in the manifests. Services have users of their own. */
export const ADMIN = "admin";
export type DatabaseUser = ServiceName | typeof BACKUP_USER | typeof ADMIN;

/**
 * How a service uses a collection of its own; each value includes the ones before. MongoDB removes expired documents
 * itself, so they need no `remove`.
 */
type Use = keyof typeof ACTIONS;

const APPEND = ["find", "listIndexes", "insert", "createIndex", "createCollection"];
const ACTIONS = {
  append: APPEND,
  change: [...APPEND, "update"],
  remove: [...APPEND, "update", "remove"],
} as const;

/** Every collection by its owner, with its use. A test compares the table with the sources. */
const COLLECTIONS: Readonly<Record<ServiceName, Readonly<Record<string, Use>>>> = {
  announcements: { announcements: "change" },
  // The record of key changes is append-only, even for an attacker who controls the gateway.
  api: {
    api_keys: "change",
    api_key_changes: "append",
    bus_users: "change",
    calendar_feeds: "change",
    idempotency_records: "remove",
    lost_writes: "append",
  },
  "calendar-events": {
    calendar_events: "remove",
    calendar_imports: "change",
    calendars: "change",
    zone_rules: "change",
  },
  dispatch: {
    // Dispatch deletes the row of a postponed post.
    posts: "remove",
    guild_plans: "change",
    plan_sources: "change",
    feed_marks: "change",
    dispatch_heartbeat: "change",
    sinks: "remove",
    channel_checks: "remove",
    notifications: "remove",
    notification_plans: "change",
    notification_sources: "change",
    notification_feed_marks: "change",
  },
  "guild-settings": { guild_settings: "change" },
  // A webhook stays as a tombstone; its deliveries are removed.
  webhooks: { webhooks: "change", webhook_deliveries: "remove" },
};

/** A privilege of a MongoDB role. */
export interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

/** The names of the service's collections. */
export function collectionsOf(service: ServiceName): string[] {
  return Object.keys(COLLECTIONS[service]);
}

/** The collection with the schema versions of a service's data (schema-version.ts), beside those of `collectionsOf`. */
export function schemaCollection(service: ServiceName): string {
  return `${service.replaceAll("-", "_")}_schema`;
}

/** The privileges of the database role of a service. */
export function databasePrivileges(service: ServiceName): Privilege[] {
  const uses = { ...COLLECTIONS[service], [schemaCollection(service)]: "change" as const };
  return Object.entries(uses).map(([collection, use]) => ({
    resource: { db: DATABASE, collection },
    actions: ACTIONS[use],
  }));
}

/** The privileges of the database role of `npm run backup`: it can read every collection of guildcal. */
export function backupPrivileges(): Privilege[] {
  return SERVICES.flatMap(databasePrivileges).map(({ resource }) => ({ resource, actions: ["find"] }));
}
