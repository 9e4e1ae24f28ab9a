import { getGuildSettings, updateGuildSettings } from "../../contracts/guild-settings.contract.ts";
import { statusMessage } from "../wire/response-fields.ts";
import { writeRoute } from "../dry-run.ts";
import { route } from "../route.ts";
import { guildField } from "../wire/request-fields.ts";
import { settingsRequestFields, settingsResponseFields } from "./settings.wire.ts";

export const settingsRoutesV1 = [
  route({
    paths: ["/v1/guild/settings/get", "/v1/settings/get"],
    contract: getGuildSettings,
    fields: { guildId: guildField },
    responseFields: settingsResponseFields,
    responseName: "GuildSettingsV1",
    hasEtag: true,
    summary: "Returns the guild's settings; a new guild has the defaults",
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
  writeRoute({
    paths: ["/v1/guild/settings/update", "/v1/settings/update"],
    contract: updateGuildSettings,
    fields: settingsRequestFields,
    responseFields: [statusMessage("Message", "Settings updated")],
    hasEtag: true,
    summary: "Changes the given settings of the guild",
    example: {
      request: { guild_id: "375357265198317579", control_role: "375357265198317580", lang: "ENGLISH", prefix: "!" },
      response: { Message: "Settings updated" },
    },
  }),
];
