import {
  getGuildSettings,
  type GuildSettings,
  LANGUAGES,
  updateGuildSettings,
} from "../../contracts/guild-settings.contract.ts";
import { type AnswerField, BOOLEAN, INTEGER, oneOfNames, statusText, STRING } from "../answer-fields.ts";
import { route } from "../route.ts";
import { asGuildId, asInteger, asName, field } from "../wire-fields.ts";

/** The settings as v1 names them (api.md 2.3). */
const settings: readonly AnswerField<GuildSettings>[] = [
  { wire: "external_calendar", value: ({ externalCalendar }) => externalCalendar, schema: BOOLEAN },
  { wire: "control_role", value: ({ controlRole }) => controlRole, schema: STRING },
  { wire: "service_channel", value: ({ serviceChannel }) => serviceChannel, schema: STRING },
  { wire: "simple_announcement", value: ({ simpleAnnouncements }) => simpleAnnouncements, schema: BOOLEAN },
  { wire: "lang", value: ({ lang }) => lang, schema: oneOfNames(LANGUAGES) },
  { wire: "prefix", value: ({ prefix }) => prefix, schema: STRING },
  { wire: "patron_guild", value: ({ patronGuild }) => patronGuild, schema: BOOLEAN },
  { wire: "dev_guild", value: ({ devGuild }) => devGuild, schema: BOOLEAN },
  { wire: "max_calendars", value: ({ maxCalendars }) => maxCalendars, schema: INTEGER },
];

const guild = field("guild_id", "guildId", asGuildId);

export const settingsRoutesV1 = [
  route({
    paths: ["/v1/guild/settings/get", "/v1/settings/get"],
    access: "read",
    contract: getGuildSettings,
    fields: [guild],
    answer: settings,
    summary: "The guild's settings; those of a guild never seen are the defaults",
    example: {
      request: { guild_id: "375357265198317579" },
      response: {
        external_calendar: false,
        control_role: "everyone",
        service_channel: "all",
        simple_announcement: false,
        lang: "ENGLISH",
        prefix: "!",
        patron_guild: false,
        dev_guild: false,
        max_calendars: 1,
      },
    },
  }),
  route({
    paths: ["/v1/guild/settings/update", "/v1/settings/update"],
    access: "write",
    contract: updateGuildSettings,
    fields: [
      guild,
      field("control_role", "controlRole"),
      field("service_channel", "serviceChannel"),
      field("simple_announcement", "simpleAnnouncements"),
      field("lang", "lang", asName),
      field("prefix"),
      field("external_calendar", "externalCalendar"),
      field("patron_guild", "patronGuild"),
      field("dev_guild", "devGuild"),
      field("max_calendars", "maxCalendars", asInteger),
    ],
    answer: [statusText("Message", "Settings updated")],
    summary: "Changes the guild's settings that are named; the others stay",
    example: {
      request: { guild_id: "375357265198317579", control_role: "375357265198317580", lang: "ENGLISH", prefix: "!" },
      response: { Message: "Settings updated" },
    },
  }),
];
