import type { ParamsOf } from "../../contracts/contract.ts";
import { type GuildSettings, LANGUAGES, type updateGuildSettings } from "../../contracts/guild-settings.contract.ts";
import { NO_FIELD } from "../wire/no-field.ts";
import { pauseField, shownPause } from "../wire/pause-fields.ts";
import { shownTemplate, templateField } from "../wire/template-fields.ts";
import { BOOLEAN, int64, INTEGER, enumOf, responseFields, shown, STRING } from "../wire/response-fields.ts";
import { asInteger, asEnumValue, field, guildField, type RequestFields } from "../wire/request-fields.ts";

/** The settings in the names of v2 (api.md 2.2). */
export const settingsResponseFields = responseFields<GuildSettings>({
  guildId: int64("guild_id"),
  externalCalendar: shown("external_calendar", BOOLEAN),
  controlRole: shown("control_role", STRING),
  simpleAnnouncements: shown("simple_announcements", BOOLEAN),
  lang: shown("lang", enumOf(LANGUAGES)),
  prefix: shown("prefix", STRING),
  patronGuild: shown("patron_guild", BOOLEAN),
  devGuild: shown("dev_guild", BOOLEAN),
  maxCalendars: shown("max_calendars", INTEGER),
  twelveHour: shown("twelve_hour", BOOLEAN),
  branded: shown("branded", BOOLEAN),
  template: shownTemplate,
  pausedUntil: shownPause,
  pauseEndedAt: NO_FIELD,
  serviceChannel: NO_FIELD,
  revision: NO_FIELD,
});

/** The fields of an update; only operator keys may change the ones from `external_calendar` on (D11). */
export const settingsRequestFields: RequestFields<ParamsOf<typeof updateGuildSettings>> = {
  guildId: guildField,
  controlRole: field("control_role"),
  simpleAnnouncements: field("simple_announcements"),
  lang: field("lang", asEnumValue),
  prefix: field("prefix"),
  twelveHour: field("twelve_hour"),
  externalCalendar: field("external_calendar"),
  patronGuild: field("patron_guild"),
  devGuild: field("dev_guild"),
  maxCalendars: field("max_calendars", asInteger),
  branded: field("branded"),
  template: templateField,
  pausedUntil: pauseField,
  serviceChannel: NO_FIELD,
};
