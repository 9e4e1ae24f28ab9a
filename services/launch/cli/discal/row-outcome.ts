/** Why a row is not imported, for people. */
const SKIP_TEXTS = {
  INVALID_GUILD: "guild_id is no id of a guild",
  INVALID_ID: "its id is missing",
  INVALID_CALENDAR: "calendar_number is no number of a calendar",
  INVALID_TYPE: "announcement_type is none of UNIVERSAL, SPECIFIC, COLOR and RECUR",
  INVALID_CHANNEL: "channel_id is no id of a channel",
  INVALID_LEAD_TIME: "hours_before or minutes_before is no number, or negative",
  INVALID_COLOR: "event_color is no color of DisCal",
  NEVER_POSTED: "its modifier is END, which DisCal never posts, or an unknown one",
  NO_FILE: "the folder calendars has no iCalendar file of this calendar",
  TOO_LARGE: "the iCalendar file is larger than an import may be",
  NO_IMAGE: "it has no image; the table has nothing else of an event, the rest is in the iCalendar file",
  INVALID_IMAGE: "its image_link is no http or https address",
  NO_EVENT: "the iCalendar file of its calendar has no event with this id, or guildcal skipped it",
  OCCURRENCE: "it is about an occurrence, which cannot have an image of its own here or is an all-day one",
  REFUSED: "guildcal refused it",
} as const;
export type SkipCode = keyof typeof SKIP_TEXTS;

/** In what an imported row differs from DisCal's, for people. */
const CHANGE_TEXTS = {
  LANGUAGE_REPLACED: "its language is not supported: English instead",
  STYLE_REPLACED: "its announcement style does not exist here: full posts instead",
  OPERATOR_FIELDS: "the key is no operator key: max_calendars, patron_guild, dev_guild and branded were left out",
  CONTROL_ROLE_DROPPED: "control_role is no id of a role: everyone instead",
  PAUSED: "announcements of the guild are paused: it is created disabled",
  ALL_CALENDARS: "it covers the events of all calendars of the guild, not only of its own",
  NOT_PUBLISHED: "its posts are not published in other channels",
  SUBSCRIBERS_DROPPED: "subscribers that are no ids were left out",
  EVENTS_REPORTED: "some VEVENTs were skipped or changed; each has an entry of its own",
  NAME_REFUSED: "guildcal refused the name or the time zone of the calendar",
  WARNING: "guildcal has a warning",
} as const;
export type ChangeCode = keyof typeof CHANGE_TEXTS;

/** The outcome of a row, or of a VEVENT of a calendar's file: a line of the report. */
export interface RowOutcome {
  readonly table: string;
  readonly line: number;
  /** Identifies the row in the report, so that a further run knows it. */
  readonly row: string;
  readonly outcome: "imported" | "unchanged" | "skipped";
  readonly reason?: string;
  readonly message?: string;
  readonly changes?: readonly { readonly reason: string; readonly message: string }[];
  /** The id in guildcal. */
  readonly id?: string;
  /** The digest of a calendar's file. */
  readonly digest?: string;
}

export function skippedRow(
  place: Pick<RowOutcome, "table" | "line" | "row">,
  reason: SkipCode,
  message: string = SKIP_TEXTS[reason],
): RowOutcome {
  return { ...place, outcome: "skipped", reason, message };
}

export function changesOf(codes: readonly ChangeCode[], more = ""): Pick<RowOutcome, "changes"> {
  if (codes.length === 0) return {};
  return { changes: codes.map((reason) => ({ reason, message: CHANGE_TEXTS[reason] + more })) };
}
