import type { ServiceName } from "../contracts/service-names.ts";

/** The database of an installation. */
export const DATABASE = "guildcal";

/** What a service does with a collection of its own. What expires is removed by MongoDB itself. */
type Use = keyof typeof ACTIONS;

const APPEND = ["find", "listIndexes", "insert", "createIndex", "createCollection"];
const ACTIONS = {
  append: APPEND,
  change: [...APPEND, "update"],
  remove: [...APPEND, "update", "remove"],
} as const;

/** Every collection: whose it is, and what is done with it. Held equal to the sources by a test. */
const COLLECTIONS: Readonly<Record<ServiceName, Readonly<Record<string, Use>>>> = {
  announcements: { announcements: "change" },
  // Who changed which key is never changed, not even by who took over the gateway.
  api: { api_keys: "change", api_key_changes: "append", kept_answers: "remove" },
  "calendar-events": { calendar_events: "remove", calendars: "change" },
  dispatch: {
    // A post that is put off has no row.
    posts: "remove",
    guild_plans: "change",
    plan_sources: "change",
    feed_marks: "change",
    dispatch_heartbeat: "change",
    sinks: "remove",
    channel_checks: "remove",
  },
  "guild-settings": { guild_settings: "change" },
};

/** A privilege as MongoDB's roles have it. */
export interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

/** What the role of a service's database user may do. */
export function databasePrivileges(service: ServiceName): Privilege[] {
  return Object.entries(COLLECTIONS[service]).map(([collection, use]) => ({
    resource: { db: DATABASE, collection },
    actions: ACTIONS[use],
  }));
}
