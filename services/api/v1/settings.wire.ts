import type { ParamsOf } from "../../contracts/contract.ts";
import { type GuildSettings, LANGUAGES, type updateGuildSettings } from "../../contracts/guild-settings.contract.ts";
import { NO_FIELD } from "../wire/no-field.ts";
import { BOOLEAN, INTEGER, enumOf, responseFields, shown, STRING } from "../wire/response-fields.ts";
import { asInteger, asEnumValue, field, guildField, type RequestFields } from "../wire/request-fields.ts";

/** The settings in the names of v1 (api.md 2.3). */
export const settingsResponseFields = responseFields<GuildSettings>({
  externalCalendar: shown("external_calendar", BOOLEAN),
  controlRole: shown("control_role", STRING),
  serviceChannel: shown("service_channel", STRING),
  simpleAnnouncements: shown("simple_announcement", BOOLEAN),
  lang: shown("lang", enumOf(LANGUAGES)),
  prefix: shown("prefix", STRING),
  patronGuild: shown("patron_guild", BOOLEAN),
  devGuild: shown("dev_guild", BOOLEAN),
  maxCalendars: shown("max_calendars", INTEGER),
  guildId: NO_FIELD,
  twelveHour: NO_FIELD,
  branded: NO_FIELD,
  template: NO_FIELD,
  pausedUntil: NO_FIELD,
  pauseEndedAt: NO_FIELD,
  revision: NO_FIELD,
});

/** The fields of an update; only operator keys may change the ones from `external_calendar` on (D11). */
export const settingsRequestFields: RequestFields<ParamsOf<typeof updateGuildSettings>> = {
  guildId: guildField,
  controlRole: field("control_role"),
  serviceChannel: field("service_channel"),
  simpleAnnouncements: field("simple_announcement"),
  lang: field("lang", asEnumValue),
  prefix: field("prefix"),
  externalCalendar: field("external_calendar"),
  patronGuild: field("patron_guild"),
  devGuild: field("dev_guild"),
  maxCalendars: field("max_calendars", asInteger),
  twelveHour: NO_FIELD,
  branded: NO_FIELD,
  template: NO_FIELD,
  pausedUntil: NO_FIELD,
};
