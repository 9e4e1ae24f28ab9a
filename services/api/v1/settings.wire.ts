import { type GuildSettings, LANGUAGES } from "../../contracts/guild-settings.contract.ts";
import { type ResponseField, BOOLEAN, INTEGER, enumOf, STRING } from "../wire/response-fields.ts";
import { asInteger, asEnumValue, field, guildField } from "../wire/request-fields.ts";

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
export const settingsRequestFields = [
  guildField,
  field("control_role", "controlRole"),
  field("service_channel", "serviceChannel"),
  field("simple_announcement", "simpleAnnouncements"),
  field("lang", "lang", asEnumValue),
  field("prefix"),
  field("external_calendar", "externalCalendar"),
  field("patron_guild", "patronGuild"),
  field("dev_guild", "devGuild"),
  field("max_calendars", "maxCalendars", asInteger),
];
