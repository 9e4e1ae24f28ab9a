import type { ChangeCode, SkipCode } from "./row-outcome.ts";
import { bitIn, integerIn, snowflakeIn, type TableRow, textIn } from "./table-row.ts";

export interface MappedSettings {
  readonly guildId: string;
  /** The fields of `/v2/guild/settings/update`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Those that only an operator key may change (D11). */
  readonly operatorSettings: Readonly<Record<string, unknown>>;
  readonly changes: readonly ChangeCode[];
}

/** DisCal writes language tags, and has written these names. */
const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/^en(?:glish$|[-_]|$)/i, "ENGLISH"],
  [/^ja(?:panese$|[-_]|$)/i, "JAPANESE"],
  [/^(?:pt(?:[-_]|$)|portuguese$)/i, "PORTUGUESE"],
  [/^(?:es(?:[-_]|$)|spanish$)/i, "SPANISH"],
];
/** Values of `announcement_style`; FULL is 1, EVENT 3. */
const SIMPLE = 2;
const MINIMAL = 4;
const TWELVE_HOUR = 2;

/** A row of `guild_settings`, of the present form of the table or of an older one. */
export function settingsOf(row: TableRow): MappedSettings | SkipCode {
  const guildId = snowflakeIn(row, "guild_id");
  if (guildId === undefined) return "INVALID_GUILD";
  const language = textIn(row, "lang") ?? "ENGLISH";
  const lang = LANGUAGES.find(([names]) => names.test(language))?.[1];
  const role = textIn(row, "control_role") ?? "everyone";
  const isRole = /^[1-9][0-9]{0,19}$/.test(role);
  const style = integerIn(row, "announcement_style");
  const format = integerIn(row, "time_format");
  const changes: ChangeCode[] = [];
  if (lang === undefined) changes.push("LANGUAGE_REPLACED");
  if (style === MINIMAL) changes.push("STYLE_REPLACED");
  if (!isRole && role.toLowerCase() !== "everyone") changes.push("CONTROL_ROLE_DROPPED");
  return {
    guildId,
    settings: {
      control_role: isRole ? role : "everyone",
      lang: lang ?? "ENGLISH",
      simple_announcements: style === undefined ? (bitIn(row, "simple_announcement") ?? false) : style === SIMPLE,
      twelve_hour: format === undefined ? (bitIn(row, "12_hour") ?? false) : format === TWELVE_HOUR,
    },
    operatorSettings: {
      max_calendars: Math.max(1, integerIn(row, "max_calendars") ?? 1),
      patron_guild: bitIn(row, "patron_guild") ?? false,
      dev_guild: bitIn(row, "dev_guild") ?? false,
      branded: bitIn(row, "branded") ?? false,
    },
    changes,
  };
}

/** The instant until which DisCal does not post for a guild; undefined without one. DisCal stores it in UTC. */
export function pausedUntil(row: TableRow): number | undefined {
  const text = textIn(row, "pause_announcements_until");
  if (text === undefined) return undefined;
  const at = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text.replace(" ", "T")}Z`);
  return Number.isNaN(at) ? undefined : at;
}
