import type { ChangeCode, SkipCode } from "./row-outcome.ts";
import { type Language, LANGUAGES } from "../../../contracts/guild-settings.contract.ts";
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
const LANGUAGE_OF_TAG = {
  bg: "BULGARIAN",
  cs: "CZECH",
  da: "DANISH",
  de: "GERMAN",
  el: "GREEK",
  en: "ENGLISH",
  es: "SPANISH",
  fi: "FINNISH",
  fr: "FRENCH",
  hi: "HINDI",
  hr: "CROATIAN",
  hu: "HUNGARIAN",
  id: "INDONESIAN",
  it: "ITALIAN",
  ja: "JAPANESE",
  ko: "KOREAN",
  lt: "LITHUANIAN",
  nb: "NORWEGIAN",
  nl: "DUTCH",
  nn: "NORWEGIAN",
  no: "NORWEGIAN",
  pl: "POLISH",
  pt: "PORTUGUESE",
  ro: "ROMANIAN",
  ru: "RUSSIAN",
  sv: "SWEDISH",
  th: "THAI",
  tr: "TURKISH",
  uk: "UKRAINIAN",
  vi: "VIETNAMESE",
  zh: "CHINESE_SIMPLIFIED",
} as const satisfies Readonly<Record<string, Language>>;
/** The regions and the script of traditional Chinese. */
const TRADITIONAL = /^zh[-_](?:.*[-_])?(?:hant|tw|hk|mo)(?:[-_]|$)/i;

/** The language of a tag such as `pt-BR`, or of an English name; undefined if posts do not have it. */
function languageOf(text: string): Language | undefined {
  if (TRADITIONAL.test(text)) return "CHINESE_TRADITIONAL";
  const [tag = ""] = text.toLowerCase().split(/[-_]/);
  const byTag = Object.entries(LANGUAGE_OF_TAG).find(([known]) => known === tag)?.[1];
  return byTag ?? LANGUAGES.find((language) => language === text.toUpperCase());
}

/** Values of `announcement_style`; FULL is 1, EVENT 3. */
const SIMPLE = 2;
const MINIMAL = 4;
const TWELVE_HOUR = 2;

/** A row of `guild_settings`, of the present form of the table or of an older one. */
export function settingsOf(row: TableRow): MappedSettings | SkipCode {
  const guildId = snowflakeIn(row, "guild_id");
  if (guildId === undefined) return "INVALID_GUILD";
  const language = textIn(row, "lang") ?? "ENGLISH";
  const lang = languageOf(language);
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
