import { type Color, COLORS, type EventTexts, MAX_ENTRIES } from "./calendar-events.contract.ts";
import { action, type Changed } from "./contract.ts";
import { flag, guildId, integer, oneOf, optional, reference } from "./field-rules.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "./ids.ts";

/** One occurrence, with what dispatch needs to plan and to render. A single event is its own only occurrence. */
export interface Occurrence extends EventTexts, Changed {
  readonly occurrenceId: OccurrenceId;
  readonly eventId: EventId;
  readonly calendarNumber: number;
  /** IANA name of the calendar's time zone (D22). */
  readonly timezone: string;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly color: Color;
  /** Whether it belongs to a series. */
  readonly recurs: boolean;
  /** Whether it is the series' first occurrence, which SPECIFIC on a series means (D24); true for a single event. */
  readonly isFirst: boolean;
  /** When it got the start that it has now: created, moved, or its rule changed (D31). Database time. */
  readonly scheduledAt: EpochMs;
  /** When it got its colour (D31). Database time. */
  readonly coloredAt: EpochMs;
  /** Of an occurrence as it was before: when the change was stored that ended it. Database time. */
  readonly until?: EpochMs;
}

/** Windows of dispatch reach beyond what events may have. */
const instant = integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

export interface OccurrencesStartingParams {
  readonly guildId: GuildId;
  /** Half-open windows `[from, until)`, in any order; at most 1000. */
  readonly windows: readonly { readonly from: EpochMs; readonly until: EpochMs }[];
  /** At most this many occurrences are answered, 1 … 10 000. */
  readonly limit: number;
  /** Whether their texts are wanted; they are where nothing is said. */
  readonly texts?: boolean;
  /** Leaves out all others. */
  readonly only?: OnlyOccurrences;
  /** Leaves out what got its start and its colour before. */
  readonly changedSince?: EpochMs;
  /**
   * Where it is given, `former` has what was so until later than this: of each event as it was before it was last moved,
   * recoloured or removed, without texts; 1000 at most, those of the latest changes. Of a removed event it is known for 7
   * days, and of a series of which single occurrences had been changed it is not known.
   */
  readonly formerAfter?: EpochMs;
}

/** Occurrences of a colour, or of an event or a series. */
export interface OnlyOccurrences {
  readonly color?: Color;
  readonly eventId?: EventId;
}

export interface OccurrencesStarting {
  readonly occurrences: Occurrence[];
  readonly truncated: boolean;
  readonly former?: Occurrence[];
}

/** For dispatch: every occurrence of the guild, over all its calendars, that starts in one of the windows. */
export const listOccurrencesStarting = action<OccurrencesStartingParams, OccurrencesStarting>({
  name: "calendar-events.listOccurrencesStarting",
  keys: "none",
  params: {
    guildId,
    windows: {
      type: "array",
      max: 1000,
      items: {
        type: "object",
        strict: true,
        props: {
          from: instant,
          until: instant,
        },
      },
    },
    limit: integer(1, MAX_ENTRIES),
    texts: optional(flag),
    only: optional({
      type: "object",
      strict: true,
      props: { color: optional(oneOf(COLORS)), eventId: optional(reference) },
    }),
    changedSince: optional(instant),
    formerAfter: optional(instant),
  },
  idempotent: true,
});

/** For dispatch, at the due instant: one occurrence as it is now, or null when it is gone. */
export const getOccurrence = action<{ guildId: GuildId; occurrenceId: OccurrenceId }, Occurrence | null>({
  name: "calendar-events.getOccurrence",
  keys: "none",
  params: { guildId, occurrenceId: reference },
  idempotent: true,
});
