import type { ParamsOf } from "../../contracts/contract.ts";
import { type GuildSettings, LANGUAGES, type updateGuildSettings } from "../../contracts/guild-settings.contract.ts";
import { type ResponseField, BOOLEAN, INTEGER, enumOf, STRING } from "../wire/response-fields.ts";
import { asInteger, asEnumValue, field, guildField, NO_FIELD, type RequestFields } from "../wire/request-fields.ts";

/** The settings in the names of v1 (api.md 2.3). */
export const settingsResponseFields: readonly ResponseField<GuildSettings>[] = [
  { wire: "external_calendar", value: ({ externalCalendar }) => externalCalendar, schema: BOOLEAN },
  { wire: "control_role", value: ({ controlRole }) => controlRole, schema: STRING },
  { wire: "service_channel", value: ({ serviceChannel }) => serviceChannel, schema: STRING },
  { wire: "simple_announcement", value: ({ simpleAnnouncements }) => simpleAnnouncements, schema: BOOLEAN },
  { wire: "lang", value: ({ lang }) => lang, schema: enumOf(LANGUAGES) },
  { wire: "prefix", value: ({ prefix }) => prefix, schema: STRING },
  { wire: "patron_guild", value: ({ patronGuild }) => patronGuild, schema: BOOLEAN },
  { wire: "dev_guild", value: ({ devGuild }) => devGuild, schema: BOOLEAN },
  { wire: "max_calendars", value: ({ maxCalendars }) => maxCalendars, schema: INTEGER },
];

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
};
