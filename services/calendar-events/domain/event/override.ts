import type { Color, EventTexts } from "../../../contracts/calendar-events.contract.ts";
import type { EpochMs, EventId } from "../../../contracts/ids.ts";
import type { Anchor } from "../calendar/calendar.ts";
import type { Days } from "../calendar/days.ts";
import type { Times } from "./window.ts";

/** An override before its write; the database sets the instants. */
export type OverrideDraft = Omit<Override, "scheduledAt" | "endSetAt" | "coloredAt">;

/** The fields in which one occurrence differs from its series (D19). */
export interface Override {
  readonly eventId: EventId;
  /** The original start of the occurrence, which identifies it (RECURRENCE-ID in RFC 5545). */
  readonly original: EpochMs;
  readonly cancelled: boolean;
  /** "" for a text that the series has and the occurrence lacks. */
  readonly texts: EventTexts;
  readonly color?: Color;
  /** Its own times, or dates, with the time zone that the calendar had when they were set. */
  readonly moved?: Times & { readonly anchor: Anchor; readonly days?: Days };
  /** Time at which its times were set, by the clock of the database server. */
  readonly scheduledAt?: EpochMs;
  /** Time at which its end was set, by the clock of the database server. */
  readonly endSetAt?: EpochMs;
  /** Time at which its color was set, by the clock of the database server. */
  readonly coloredAt?: EpochMs;
}
