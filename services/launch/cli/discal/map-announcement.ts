import { ANNOUNCEMENT_TYPES, type AnnouncementType } from "../../../contracts/announcement-fields.ts";
import { COLORS, type Color } from "../../../contracts/calendar-events.contract.ts";
import type { ChangeCode, SkipCode } from "./row-outcome.ts";
import { bitIn, integerIn, snowflakeIn, type TableRow, textIn } from "./table-row.ts";

export interface MappedAnnouncement {
  readonly guildId: string;
  /** DisCal's id. */
  readonly id: string;
  readonly calendarNumber: number;
  readonly event?: ReferredEvent;
  /** The fields of `/v1/announcement/create`, without guild and event. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly changes: readonly ChangeCode[];
}

/** An event, or an occurrence of it, by DisCal's id, which is Google's. */
export interface ReferredEvent {
  readonly id: string;
  /** The original start of an occurrence, as both programs write it in an id. */
  readonly original?: string;
}

/** Facts besides the row by which an announcement is mapped. */
export interface GuildState {
  readonly isPaused: boolean;
  readonly hasManyCalendars: boolean;
}

/** Maps a row of `announcements`. */
export function announcementOf(row: TableRow, stateOf: (guildId: string) => GuildState): MappedAnnouncement | SkipCode {
  const guildId = snowflakeIn(row, "guild_id");
  if (guildId === undefined) return "INVALID_GUILD";
  const id = textIn(row, "announcement_id");
  if (id === undefined || !/^[A-Za-z0-9_-]{1,100}$/.test(id)) return "INVALID_ID";
  const type = textIn(row, "announcement_type")?.toUpperCase() as AnnouncementType;
  if (!ANNOUNCEMENT_TYPES.includes(type)) return "INVALID_TYPE";
  const channel = snowflakeIn(row, "channel_id");
  if (channel === undefined) return "INVALID_CHANNEL";
  const time = timeFields(row);
  if (typeof time === "string") return time;
  const reference = referenceOf(row, type);
  if (typeof reference === "string") return reference;
  const { isPaused, hasManyCalendars } = stateOf(guildId);
  const subscribers = subscribersOf(row, guildId);
  const isEnabled = bitIn(row, "enabled") ?? true;
  const changes: ChangeCode[] = [];
  if (isPaused && isEnabled) changes.push("PAUSED");
  if (hasManyCalendars && (type === "UNIVERSAL" || type === "COLOR")) changes.push("ALL_CALENDARS");
  if (bitIn(row, "publish") === true) changes.push("NOT_PUBLISHED");
  if (subscribers.isChanged) changes.push("SUBSCRIBERS_DROPPED");
  return {
    guildId,
    id,
    calendarNumber: integerIn(row, "calendar_number") ?? 1,
    ...(reference.event === undefined ? {} : { event: reference.event }),
    fields: {
      type,
      channel,
      ...time,
      ...(reference.color === undefined ? {} : { event_color: reference.color }),
      info: infoOf(row),
      enabled: isEnabled && !isPaused,
      ...(bitIn(row, "info_only") === true ? { info_only: true } : {}),
      subscribers_role: subscribers.roles,
      subscribers_user: subscribers.users,
    },
    changes,
  };
}

/** BEFORE counts from the start back, DURING from the start on. DisCal has never posted END. */
function timeFields(row: TableRow): Readonly<Record<string, unknown>> | SkipCode {
  const [hours, minutes] = [integerIn(row, "hours_before") ?? -1, integerIn(row, "minutes_before") ?? -1];
  if (hours < 0 || minutes < 0) return "INVALID_LEAD_TIME";
  const modifier = textIn(row, "modifier")?.toUpperCase() ?? "BEFORE";
  if (modifier === "BEFORE") return { hours, minutes };
  if (modifier !== "DURING") return "NEVER_POSTED";
  return { offsets: [{ anchor: "START", minutes: hours * 60 + minutes }] };
}

function referenceOf(
  row: TableRow,
  type: AnnouncementType,
): { readonly event?: ReferredEvent; readonly color?: Color } | SkipCode {
  if (type === "COLOR") {
    const color = (textIn(row, "event_color") ?? "NONE").toUpperCase() as Color;
    return COLORS.includes(color) ? { color } : "INVALID_COLOR";
  }
  if (type === "UNIVERSAL") return {};
  const id = textIn(row, "event_id");
  if (id === undefined || id.toLowerCase() === "n/a") return "NO_EVENT";
  const event = referredEvent(id);
  // DisCal compares the part before the underscore.
  return { event: type === "RECUR" ? { id: event.id } : event };
}

/** Google's id of an occurrence is that of its series, an underscore, and its original start. */
export function referredEvent(id: string): ReferredEvent {
  const match = /^([^_]+)_(\d{8}(?:T\d{6}Z)?)$/.exec(id);
  return match === null ? { id } : { id: match[1] as string, original: match[2] as string };
}

function infoOf(row: TableRow): string {
  const info = textIn(row, "info") ?? "";
  return info.toLowerCase() === "none" ? "" : info;
}

/** The subscribers as DisCal mentions them: the id of the guild is the role everyone. */
function subscribersOf(row: TableRow, guildId: string) {
  const listIn = (column: string) => (textIn(row, column) ?? "").split(",").flatMap((each) => each.trim() || []);
  const roles = listIn("subscribers_role").map((each) =>
    each === guildId ? "everyone" : each.replace(/^@/, "").toLowerCase(),
  );
  const users = listIn("subscribers_user");
  const isId = (each: string) => /^[1-9][0-9]{0,19}$/.test(each);
  const [kept, keptUsers] = [
    roles.filter((each) => isId(each) || each === "everyone" || each === "here"),
    users.filter(isId),
  ];
  return {
    roles: [...new Set(kept)],
    users: [...new Set(keptUsers)],
    isChanged: kept.length < roles.length || keptUsers.length < users.length,
  };
}
