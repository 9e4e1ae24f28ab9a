import { type Color, type EventTexts, MOST_ENTRIES } from "./calendar-events.contract.ts";
import { action } from "./contract.ts";
import { flag, guildId, integer, optional, reference } from "./field-rules.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "./ids.ts";

/** One occurrence, with what dispatch needs to plan and to render. A single event is its own only occurrence. */
export interface Occurrence extends EventTexts {
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
}

export interface OccurrencesStartingParams {
  readonly guildId: GuildId;
  /** Half-open windows `[from, until)`, in any order; at most 1000. */
  readonly windows: readonly { readonly from: EpochMs; readonly until: EpochMs }[];
  /** At most this many occurrences are answered, 1 … 10 000. */
  readonly limit: number;
  /** Whether their texts are wanted; they are where nothing is said. */
  readonly texts?: boolean;
}

/** For dispatch: every occurrence of the guild, over all its calendars, that starts in one of the windows. */
export const listOccurrencesStarting = action<
  OccurrencesStartingParams,
  { occurrences: Occurrence[]; truncated: boolean }
>({
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
          from: { type: "number", integer: true },
          until: { type: "number", integer: true },
        },
      },
    },
    limit: integer(1, MOST_ENTRIES),
    texts: optional(flag),
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
