import {
  CHANGE_KINDS,
  type ChangedEvent,
  type GuildChange,
  type GuildChanges,
} from "../../contracts/guild-changes.contract.ts";
import { listedAnnouncementFields, settledPostFields } from "../v1/announcement.wire.ts";
import { calendarResponseFields } from "../v2/calendar.routes.ts";
import { eventResponseFields } from "../v2/events.wire.ts";
import { settingsResponseFields } from "../v2/settings.wire.ts";
import { webhookFields } from "../v2/webhooks.wire.ts";
import {
  BOOLEAN,
  encodeFields,
  enumOf,
  EPOCH_MS,
  INTEGER,
  listIn,
  optional,
  type ResponseField,
  responseFields,
  shown,
  shownObject,
  STRING,
} from "../wire/response-fields.ts";

/** The event of a change, with the fields that a response for one calendar does not need. */
const changedEventFields: readonly ResponseField<ChangedEvent>[] = [
  ...responseFields<Pick<ChangedEvent, "calendarNumber">>({ calendarNumber: shown("calendar_number", INTEGER) }),
  ...eventResponseFields,
  ...responseFields<Pick<ChangedEvent, "hasChangedOccurrences">>({
    hasChangedOccurrences: optional(shown("has_changed_occurrences", { type: "boolean", const: true })),
  }),
];

const changeFields = responseFields<GuildChange>({
  kind: shown("kind", enumOf(CHANGE_KINDS)),
  id: shown("id", STRING),
  revision: shown("revision", INTEGER),
  changedAt: shown("changed", EPOCH_MS),
  deleted: shown("deleted", BOOLEAN),
  settings: optional(shownObject("settings", settingsResponseFields, "GuildSettings")),
  calendar: optional(shownObject("calendar", calendarResponseFields, "Calendar")),
  event: optional(shownObject("event", changedEventFields, "ChangedEvent")),
  announcement: optional(shownObject("announcement", listedAnnouncementFields, "ListedAnnouncement")),
  post: optional(shownObject("post", settledPostFields, "SettledPost")),
  webhook: optional(shownObject("webhook", webhookFields, "Webhook")),
});

/** The record of a change as JSON; undefined if it is deleted. */
export function encodedRecord(change: GuildChange): string | undefined {
  return change.deleted ? undefined : JSON.stringify(encodeFields(changeFields, change)[change.kind]);
}

const changesField = listIn("changes", changeFields, "Change", ({ changes }: GuildChanges) => changes);
const moreField = responseFields<Pick<GuildChanges, "more">>({ more: shown("more", BOOLEAN) });

/** The data of an event; its id is the token. */
export const streamedChangesFields: readonly ResponseField<GuildChanges>[] = [changesField, ...moreField];

export const changesResponseFields: readonly ResponseField<GuildChanges>[] = [
  changesField,
  ...responseFields<Pick<GuildChanges, "syncToken">>({ syncToken: shown("sync_token", STRING) }),
  ...moreField,
];
