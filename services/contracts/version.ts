/** The version of guildcal in the API document and in the `User-Agent` of its sinks; `npm run release:check` compares it. */
export const VERSION = "0.1.0";
