import type { ParamsOf } from "../../contracts/contract.ts";
import { type GuildSettings, LANGUAGES, type updateGuildSettings } from "../../contracts/guild-settings.contract.ts";
import { type ResponseField, BOOLEAN, int64, INTEGER, enumOf, STRING } from "../wire/response-fields.ts";
import { asInteger, asEnumValue, field, guildField, NO_FIELD, type RequestFields } from "../wire/request-fields.ts";

/** The settings in the names of v2 (api.md 2.2). */
export const settingsResponseFields: readonly ResponseField<GuildSettings>[] = [
  int64("guild_id", ({ guildId }) => guildId),
  { wire: "external_calendar", value: ({ externalCalendar }) => externalCalendar, schema: BOOLEAN },
  { wire: "control_role", value: ({ controlRole }) => controlRole, schema: STRING },
  { wire: "simple_announcements", value: ({ simpleAnnouncements }) => simpleAnnouncements, schema: BOOLEAN },
  { wire: "lang", value: ({ lang }) => lang, schema: enumOf(LANGUAGES) },
  { wire: "prefix", value: ({ prefix }) => prefix, schema: STRING },
  { wire: "patron_guild", value: ({ patronGuild }) => patronGuild, schema: BOOLEAN },
  { wire: "dev_guild", value: ({ devGuild }) => devGuild, schema: BOOLEAN },
  { wire: "max_calendars", value: ({ maxCalendars }) => maxCalendars, schema: INTEGER },
  { wire: "twelve_hour", value: ({ twelveHour }) => twelveHour, schema: BOOLEAN },
  { wire: "branded", value: ({ branded }) => branded, schema: BOOLEAN },
];

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
  serviceChannel: NO_FIELD,
};
