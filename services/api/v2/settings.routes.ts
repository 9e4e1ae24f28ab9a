import { getGuildSettings, updateGuildSettings } from "../../contracts/guild-settings.contract.ts";
import { statusMessage } from "../wire/response-fields.ts";
import { jsonInteger } from "../wire/exact-json.ts";
import { writeRoute } from "../dry-run.ts";
import { route } from "../route.ts";
import { guildField } from "../wire/request-fields.ts";
import { settingsRequestFields, settingsResponseFields } from "./settings.wire.ts";

export const settingsRoutesV2 = [
  route({
    paths: ["/v2/guild/settings/get"],
    contract: getGuildSettings,
    fields: { guildId: guildField },
    responseFields: settingsResponseFields,
    responseName: "GuildSettings",
    hasEtag: true,
    summary: "Returns the guild's settings; a new guild has the defaults",
    example: {
      request: { guild_id: "375357265198317579" },
      response: {
        guild_id: jsonInteger("375357265198317579"),
        external_calendar: false,
        control_role: "375357265198317580",
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
  writeRoute({
    paths: ["/v2/guild/settings/update"],
    contract: updateGuildSettings,
    fields: settingsRequestFields,
    responseFields: [statusMessage("message", "Settings updated")],
    hasEtag: true,
    summary: "Changes the given settings of the guild",
    example: {
      request: { guild_id: "375357265198317579", lang: "SPANISH", prefix: "?", twelve_hour: false },
      response: { message: "Settings updated" },
    },
  }),
];
