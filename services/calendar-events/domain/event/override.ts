import type { Color, EventTexts } from "../../../contracts/calendar-events.contract.ts";
import type { EpochMs, EventId } from "../../../contracts/ids.ts";
import type { Anchor } from "../calendar/calendar.ts";
import type { Times } from "./window.ts";

/** The fields in which one occurrence differs from its series (D19). */
export interface Override {
  readonly eventId: EventId;
  /** Original start of the occurrence, which identifies it (RECURRENCE-ID in RFC 5545). */
  readonly original: EpochMs;
  readonly cancelled: boolean;
  /** "" for a text that the occurrence lacks although the series has one. */
  readonly texts: EventTexts;
  readonly color?: Color;
  /** Its own times, with the time zone that the calendar had when they were set. */
  readonly moved?: Times & { readonly anchor: Anchor };
  /** When its times were set; database time. */
  readonly scheduledAt?: EpochMs;
  /** When its colour was set; database time. */
  readonly coloredAt?: EpochMs;
}
