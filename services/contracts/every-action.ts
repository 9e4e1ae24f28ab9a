import * as announcementRules from "./announcement-rules.contract.ts";
import * as announcements from "./announcements.contract.ts";
import * as apiKeys from "./api-keys.contract.ts";
import * as calendarEvents from "./calendar-events.contract.ts";
import * as calendarFollows from "./calendar-follows.contract.ts";
import * as calendars from "./calendars.contract.ts";
import type { ActionContract } from "./contract.ts";
import * as dispatch from "./dispatch.contract.ts";
import * as eventImport from "./event-import.contract.ts";
import * as eventReferences from "./event-references.contract.ts";
import * as eventPages from "./event-pages.contract.ts";
import * as feeds from "./feeds.contract.ts";
import * as guildChanges from "./guild-changes.contract.ts";
import * as guildSettings from "./guild-settings.contract.ts";
import { healthOf } from "./health.contract.ts";
import * as occurrenceNotifications from "./occurrence-notifications.contract.ts";
import * as occurrences from "./occurrences.contract.ts";
import * as ownerDrafts from "./owner-drafts.contract.ts";
import * as planDiff from "./plan-diff.contract.ts";
import { OWNERS } from "./service-names.ts";
import * as webhooks from "./webhooks.contract.ts";

/** A contract with unknown params and result. */
export type AnyContract = ActionContract<unknown, unknown>;

const MODULES: readonly object[] = [
  announcementRules,
  announcements,
  apiKeys,
  calendarEvents,
  calendarFollows,
  calendars,
  dispatch,
  eventImport,
  eventPages,
  eventReferences,
  feeds,
  guildChanges,
  guildSettings,
  occurrenceNotifications,
  occurrences,
  ownerDrafts,
  planDiff,
  webhooks,
];

/** The actions of all contracts. */
export const EVERY_ACTION: readonly AnyContract[] = [
  ...MODULES.flatMap((module) => Object.values(module) as unknown[]),
  ...OWNERS.map(healthOf),
].filter(isContract);

function isContract(exported: unknown): exported is AnyContract {
  return typeof exported === "object" && exported !== null && "idempotent" in exported;
}
