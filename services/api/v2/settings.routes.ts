import {
  getGuildSettings,
  type GuildSettings,
  LANGUAGES,
  updateGuildSettings,
} from "../../contracts/guild-settings.contract.ts";
import { type AnswerField, BOOLEAN, int64, INTEGER, oneOfNames, statusText, STRING } from "../answer-fields.ts";
import { jsonInteger } from "../exact-json.ts";
import { route } from "../route.ts";
import { asGuildId, asInteger, asName, field } from "../wire-fields.ts";

/** The settings as v2 names them (api.md 2.2). */
const settings: readonly AnswerField<GuildSettings>[] = [
  int64("guild_id", ({ guildId }) => guildId),
  { wire: "external_calendar", value: ({ externalCalendar }) => externalCalendar, schema: BOOLEAN },
  { wire: "control_role", value: ({ controlRole }) => controlRole, schema: STRING },
  { wire: "simple_announcements", value: ({ simpleAnnouncements }) => simpleAnnouncements, schema: BOOLEAN },
  { wire: "lang", value: ({ lang }) => lang, schema: oneOfNames(LANGUAGES) },
  { wire: "prefix", value: ({ prefix }) => prefix, schema: STRING },
  { wire: "patron_guild", value: ({ patronGuild }) => patronGuild, schema: BOOLEAN },
  { wire: "dev_guild", value: ({ devGuild }) => devGuild, schema: BOOLEAN },
  { wire: "max_calendars", value: ({ maxCalendars }) => maxCalendars, schema: INTEGER },
  { wire: "twelve_hour", value: ({ twelveHour }) => twelveHour, schema: BOOLEAN },
  { wire: "branded", value: ({ branded }) => branded, schema: BOOLEAN },
];

const guild = field("guild_id", "guildId", asGuildId);

export const settingsRoutesV2 = [
  route({
    paths: ["/v2/guild/settings/get"],
    access: "read",
    contract: getGuildSettings,
    fields: [guild],
    answer: settings,
    summary: "The guild's settings; those of a guild never seen are the defaults",
    example: {
      request: { guild_id: "375357265198317579" },
      response: {
        guild_id: jsonInteger("375357265198317579"),
        external_calendar: false,
        control_role: "everyone",
        simple_announcements: false,
        lang: "ENGLISH",
        prefix: "!",
        patron_guild: false,
        dev_guild: false,
        max_calendars: 1,
        twelve_hour: true,
        branded: false,
      },
    },
  }),
  route({
    paths: ["/v2/guild/settings/update"],
    access: "write",
    contract: updateGuildSettings,
    fields: [
      guild,
      field("control_role", "controlRole"),
      field("simple_announcements", "simpleAnnouncements"),
      field("lang", "lang", asName),
      field("prefix"),
      field("twelve_hour", "twelveHour"),
      field("external_calendar", "externalCalendar"),
      field("patron_guild", "patronGuild"),
      field("dev_guild", "devGuild"),
      field("max_calendars", "maxCalendars", asInteger),
      field("branded"),
    ],
    answer: [statusText("message", "Settings updated")],
    summary: "Changes the guild's settings that are named; the others stay",
    example: {
      request: { guild_id: "375357265198317579", lang: "SPANISH", prefix: "?", twelve_hour: false },
      response: { message: "Settings updated" },
    },
  }),
];
