/** The version of guildcal, such as in the API document and in `User-Agent`; `npm run release:check` compares it. */
export const VERSION = "0.1.0";
