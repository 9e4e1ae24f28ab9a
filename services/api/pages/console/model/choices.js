// What a field of the API may have. A unit test compares these lists with those of the service.

/** The colors of events (docs/api.md, Colors). */
export const COLORS = /** @type {const} */ ([
  "NONE",
  "MELROSE",
  "RIPTIDE",
  "MAUVE",
  "TANGERINE",
  "DANDELION",
  "MAC_AND_CHEESE",
  "TURQUOISE",
  "MERCURY",
  "BLUE",
  "GREEN",
  "RED",
]);

export const FREQUENCIES = /** @type {const} */ (["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);

export const ANNOUNCEMENT_TYPES = /** @type {const} */ (["UNIVERSAL", "SPECIFIC", "RECUR", "COLOR", "DIGEST"]);

/** The instants from which offsets count (D54). */
export const OFFSET_ANCHORS = /** @type {const} */ (["START", "END", "CREATED", "CHANGED"]);

export const DIGEST_FREQUENCIES = /** @type {const} */ (["DAILY", "WEEKLY"]);

export const WEEKDAYS = /** @type {const} */ (["MO", "TU", "WE", "TH", "FR", "SA", "SU"]);

/** The types of requests of webhooks (docs/webhooks.md). */
export const WEBHOOK_TYPES = /** @type {const} */ ([
  "event.created",
  "event.updated",
  "event.deleted",
  "announcement.posted",
  "announcement.missed",
  "announcement.failed",
  "announcement.cancelled",
  "settings.updated",
  "calendar.updated",
  "occurrence.started",
  "occurrence.ended",
]);

/** The languages of posts (D70) by their own names, in the order of a list. The console itself has fewer. */
export const POST_LANGUAGES = /** @type {const} */ ({
  INDONESIAN: "Bahasa Indonesia",
  CZECH: "Čeština",
  DANISH: "Dansk",
  GERMAN: "Deutsch",
  ENGLISH: "English",
  SPANISH: "Español",
  FRENCH: "Français",
  CROATIAN: "Hrvatski",
  ITALIAN: "Italiano",
  LITHUANIAN: "Lietuvių",
  HUNGARIAN: "Magyar",
  DUTCH: "Nederlands",
  NORWEGIAN: "Norsk",
  POLISH: "Polski",
  PORTUGUESE: "Português",
  ROMANIAN: "Română",
  FINNISH: "Suomi",
  SWEDISH: "Svenska",
  VIETNAMESE: "Tiếng Việt",
  TURKISH: "Türkçe",
  GREEK: "Ελληνικά",
  BULGARIAN: "Български",
  RUSSIAN: "Русский",
  UKRAINIAN: "Українська",
  HINDI: "हिन्दी",
  THAI: "ไทย",
  KOREAN: "한국어",
  JAPANESE: "日本語",
  CHINESE_SIMPLIFIED: "简体中文",
  CHINESE_TRADITIONAL: "繁體中文",
});

export const KEY_KINDS = /** @type {const} */ (["guild", "service", "operator"]);

export const KEY_ACCESS = /** @type {const} */ (["read", "write"]);

/** What can happen to a sent message (D67, D68). */
export const MESSAGE_STEPS = /** @type {const} */ (["EDITED", "CANCELLED", "FAILED", "GONE", "DROPPED", "DELETED"]);

/** The texts of an event with their largest numbers of characters (D21). */
export const TEXT_LIMITS = { name: 256, description: 4000, location: 256, image: 2048 };

/**
 * A color in words.
 * @param {string} color
 */
export const colorName = (color) => color.charAt(0) + color.slice(1).toLowerCase().replaceAll("_", " ");
