import { integerSetting, optionalSetting, type Setting } from "../../../../mixins/settings/environment.ts";
import { urlSetting } from "../url-setting.ts";

/** The settings of the sink `discord`. */
export const discordSettings = {
  DISCORD_TOKEN: optionalSetting("The bot's token; needed by the sink `discord`", "a bot token", /^[\w.-]{1,200}$/),
  DISCORD_API_URL: urlSetting("Base URL of Discord's API, version included", "https://discord.com/api/v10"),
  DISCORD_BOT_URL: userAgentUrlSetting(
    "Address of a page about this bot, which Discord requires in `User-Agent`",
    "https://guildcal.example",
  ),
  DISCORD_REQUESTS_PER_SECOND: integerSetting(
    "Maximum number of requests per second of all replicas of dispatch together, including channel checks; Discord's limit for a token is 50",
    45,
    1,
    10_000,
  ),
};

/**
 * A URL for `User-Agent: DiscordBot (URL, version)`. A parenthesis in it would begin or end a comment of the header, and
 * Node refuses a header with characters outside Latin-1.
 */
function userAgentUrlSetting(about: string, defaultText: string): Setting<string> {
  const { expects, parse, ...setting } = urlSetting(about, defaultText);
  return {
    ...setting,
    expects: `${expects} or parentheses, in ASCII`,
    parse: (text) => (/[()]|[^\x21-\x7e]/.test(text) ? undefined : parse(text)),
  };
}
