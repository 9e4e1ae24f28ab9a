/** The fields of the API that the console uses, in the API's names (docs/api.md 2). Ids of guilds are strings. */

export interface Calendar {
  readonly calendar_number: number;
  readonly name: string;
  readonly timezone: string;
  /** Unix milliseconds, as of events and announcements (D62, D63). */
  readonly paused_until?: number;
}

export interface Recurrence {
  readonly frequency?: string;
  readonly interval?: number;
  readonly count?: number;
  readonly until?: number;
  readonly rrule?: string;
}

export interface CalendarEvent {
  readonly event_id: string;
  readonly epoch_start: number;
  readonly epoch_end: number;
  readonly all_day?: boolean;
  readonly start_date?: string;
  /** The day after the last one (D50). */
  readonly end_date?: string;
  readonly name?: string;
  readonly description?: string;
  readonly location?: string;
  readonly image?: string;
  readonly is_parent: boolean;
  readonly color: string;
  readonly paused_until?: number;
  readonly recur: boolean;
  readonly recurrence?: Recurrence;
}

/** An event in a view: the API lists the events of one calendar, without its number. */
export interface Entry extends CalendarEvent {
  readonly calendar_number: number;
}

/** When an announcement is posted, relative to an instant of its event (D54). */
export interface PostOffset {
  readonly anchor: string;
  /** Negative before the anchor. */
  readonly minutes: number;
}

export interface Announcement {
  readonly id: string;
  readonly channel: string;
  readonly type: string;
  readonly event_id: string;
  readonly event_color: string;
  readonly hours: number;
  readonly minutes: number;
  /** In place of hours and minutes (D54). */
  readonly offsets?: readonly PostOffset[];
  readonly info: string;
  /** Only of the type DIGEST (D65). */
  readonly digest?: {
    readonly calendar_number: number;
    readonly frequency: string;
    readonly weekday?: string;
    readonly time: string;
    readonly days: number;
    readonly color?: string;
    readonly empty_text?: string;
  };
  /** Absent without one (D61). */
  readonly template?: {
    readonly title?: string;
    readonly body?: string;
    readonly fields?: readonly string[];
  };
  /** EDIT, or absent (D67). */
  readonly on_change?: string;
  readonly clean_up?: number;
  readonly skip_on?: number;
  readonly paused_until?: number;
  readonly enabled: boolean;
  readonly info_only: boolean;
  readonly subscribers_role: readonly string[];
  readonly subscribers_user: readonly string[];
  readonly dangling?: boolean;
}

/** A post of the plan or of the history. */
export interface Post {
  readonly due: number;
  readonly announcement_id: string;
  readonly event_id: string;
  readonly epoch_start: number;
  /** Of the offset by which it is due; absent for a lead time (D54). */
  readonly anchor?: string;
  readonly offset_minutes?: number;
  readonly channel: string;
  readonly state: string;
  readonly attempts?: number;
  readonly in_doubt_since?: number;
  readonly lease_until?: number;
  readonly next_try?: number;
  readonly claimed?: number;
  readonly settled?: number;
  readonly late_ms?: number;
  readonly reason?: string;
  readonly reason_code?: string;
  readonly message_id?: string;
  /** The steps of the message after it was sent (D67). */
  readonly steps?: readonly { readonly step: string; readonly at: number; readonly reason?: string }[];
  /** Why it will be skipped when it is due (D62). */
  readonly computed?: boolean;
  readonly skip_code?: string;
  readonly skip_reason?: string;
  readonly problem?: { readonly code: string; readonly message: string };
}

/** The body of Discord's "create message". */
export interface Message {
  readonly content?: string;
  readonly embeds?: readonly Embed[];
}

export interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly color: number;
  readonly image?: { readonly url: string };
  readonly author?: { readonly name: string };
  readonly footer?: { readonly text: string };
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
}

export interface Preview {
  readonly event_id: string;
  readonly epoch_start: number;
  readonly messages: readonly Message[];
  readonly skip_reason?: string;
  readonly offsets?: readonly (PostOffset & { readonly skip_reason?: string })[];
  readonly problem?: { readonly code: string; readonly message: string };
}

/** A post in a comparison of plans, as it would be sent. */
export interface DraftedPost {
  readonly anchor?: string;
  readonly offset_minutes?: number;
  readonly event_id: string;
  readonly epoch_start: number;
  readonly due: number;
  readonly channel: string;
  readonly text: string;
}

/** A post that a change would affect. */
export interface PostDifference extends DraftedPost {
  readonly effect: "APPEARS" | "VANISHES" | "MOVES" | "CHANGES";
  readonly announcement_id: string;
  readonly reason: string;
  /** The post without the change. */
  readonly before?: DraftedPost;
}

/** The response of a dry run (D64). */
export interface PlanDiff {
  readonly appear: number;
  readonly vanish: number;
  readonly move: number;
  readonly change: number;
  readonly more: boolean;
  readonly compared_until: number;
  readonly posts: readonly PostDifference[];
}

/** A webhook without its secret. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly enabled: boolean;
  readonly disabled_reason?: string;
  readonly created: number;
  readonly previous_until?: number;
}

/** A feed of a calendar without its address. */
export interface Feed {
  readonly id: string;
  readonly calendar_number: number;
  readonly color?: string;
  readonly label: string;
  readonly created: number;
  readonly rotated?: number;
  readonly last_used?: number;
}

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly kind: string;
  readonly access: string;
  readonly guilds: readonly string[];
  readonly label: string;
  readonly created: number;
  readonly expires?: number;
  readonly revoked?: number;
  readonly last_used?: number;
  readonly previous_until?: number;
}

/** Fields of a request or a response. */
export type Fields = Readonly<Record<string, unknown>>;
