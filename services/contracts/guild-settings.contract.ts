import { action, broadcastEvent } from "./contract.ts";
import {
  type ChangesSinceParams,
  type ChangesSinceResult,
  changesSinceRules,
  type CountChangesParams,
  countChangesRules,
} from "./change-feed.contract.ts";
import {
  clearable,
  flag,
  guildId,
  integer,
  oneOf,
  optional,
  revisionNumber,
  snowflakeOr,
  textOf,
} from "./field-rules.ts";
import type { GuildId } from "./ids.ts";
import { type MessageTemplate, templateRule } from "./message-template.ts";
import { changedPauseRule, type Pause } from "./pause.ts";
import { type IfRevision, ifRevision } from "./revision.ts";

/** Those of Discord's client (D70). */
export const LANGUAGES = [
  "BULGARIAN",
  "CHINESE_SIMPLIFIED",
  "CHINESE_TRADITIONAL",
  "CROATIAN",
  "CZECH",
  "DANISH",
  "DUTCH",
  "ENGLISH",
  "FINNISH",
  "FRENCH",
  "GERMAN",
  "GREEK",
  "HINDI",
  "HUNGARIAN",
  "INDONESIAN",
  "ITALIAN",
  "JAPANESE",
  "KOREAN",
  "LITHUANIAN",
  "NORWEGIAN",
  "POLISH",
  "PORTUGUESE",
  "ROMANIAN",
  "RUSSIAN",
  "SPANISH",
  "SWEDISH",
  "THAI",
  "TURKISH",
  "UKRAINIAN",
  "VIETNAMESE",
] as const;
export type Language = (typeof LANGUAGES)[number];

/** The settings of a guild; v1 and v2 share one record (D9). */
export interface GuildSettings extends Pause {
  readonly guildId: GuildId;
  readonly externalCalendar: boolean;
  /** A role id, or `everyone`. */
  readonly controlRole: string;
  /** A channel id, or `all`. */
  readonly serviceChannel: string;
  readonly simpleAnnouncements: boolean;
  readonly lang: Language;
  readonly prefix: string;
  readonly patronGuild: boolean;
  readonly devGuild: boolean;
  readonly maxCalendars: number;
  readonly twelveHour: boolean;
  readonly branded: boolean;
  /** The layout of the messages of announcements without a template of their own (D61). */
  readonly template?: MessageTemplate;
  /** Number of writes, from 1; 0 for the defaults of a guild without stored settings. */
  readonly revision: number;
}

/** Fields that only an `operator` key may change (D11). */
export const OPERATOR_FIELDS = ["externalCalendar", "patronGuild", "devGuild", "maxCalendars", "branded"] as const;

/** An absent field stays. A null clears an optional setting. */
export type GuildSettingsChanges = Partial<
  Omit<GuildSettings, "guildId" | "revision" | "pauseEndedAt" | ClearableSetting>
> & {
  readonly [Field in ClearableSetting]?: GuildSettings[Field] | null;
};
type ClearableSetting = "template" | "pausedUntil";

/** The prefix of D10. The API document has PREFIX, because code generators do not support the Unicode classes of VISIBLE. */
const PREFIX = /^[^\s\x00-\x1f\x7f-\x9f]+$/u;
const VISIBLE = /^[^\p{C}\p{Z}]+$/u;

/** The highest `max_calendars`; the lowest is 1, so that the main calendar always exists. */
const MAX_CALENDARS = 1000;

export const getGuildSettings = action<{ guildId: GuildId }, GuildSettings>({
  name: "guild-settings.get",
  keys: "guild read",
  params: { guildId },
  idempotent: true,
});

export const updateGuildSettings = action<{ guildId: GuildId } & GuildSettingsChanges & IfRevision, GuildSettings>({
  name: "guild-settings.update",
  keys: "guild write",
  refusals: ["OPERATOR_ONLY"],
  params: {
    guildId,
    externalCalendar: optional(flag),
    controlRole: optional(snowflakeOr("everyone")),
    serviceChannel: optional(snowflakeOr("all")),
    simpleAnnouncements: optional(flag),
    lang: optional(oneOf(LANGUAGES)),
    prefix: optional(
      textOf("1 to 16 visible characters without white space", PREFIX, 16, (value) => VISIBLE.test(value)),
    ),
    patronGuild: optional(flag),
    devGuild: optional(flag),
    maxCalendars: optional(integer(1, MAX_CALENDARS)),
    twelveHour: optional(flag),
    branded: optional(flag),
    template: clearable(templateRule),
    pausedUntil: changedPauseRule,
    ifRevision,
  },
  idempotent: true,
});

export const guildSettingsChangesSince = action<ChangesSinceParams, ChangesSinceResult>({
  name: "guild-settings.changesSince",
  keys: "none",
  params: changesSinceRules,
  idempotent: true,
});

export const guildSettingsCountChanges = action<CountChangesParams, number>({
  name: "guild-settings.countChanges",
  keys: "none",
  params: countChangesRules,
  idempotent: true,
});

export interface GuildSettingsChanged {
  readonly guildId: GuildId;
  readonly revision: number;
}
/** Broadcast after settings were stored. A broadcast may be lost, duplicated or late. */
export const guildSettingsChanged = broadcastEvent<GuildSettingsChanged>({
  name: "guild-settings.changed",
  payload: { guildId, revision: revisionNumber },
});
