import type { SkipOn } from "../../../contracts/holidays.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { type Pause, pauseEnd } from "../../../contracts/pause.ts";

/** What may pause a post (D62), and the holidays of its occurrence (D66). */
export interface SkipInput {
  readonly settings: Pause;
  readonly announcement: Pause & SkipOn;
  readonly occurrence: Pick<Occurrence, "eventPausedUntil" | "calendarPausedUntil" | "holidays">;
}

/**
 * Why a post that is due at an instant is skipped then in place of being sent; undefined if it is sent. A pause, which somebody has
 * set for these posts, is named before a holiday.
 */
export function skippedWhenDue(dueAt: EpochMs, state: SkipInput): string | undefined {
  return pauseReason(dueAt, state) ?? holidayReason(state);
}

function pauseReason(dueAt: EpochMs, { settings, announcement, occurrence }: SkipInput): string | undefined {
  const pauses = [
    { of: "guild", until: pauseEnd(settings) },
    { of: "calendar", until: occurrence.calendarPausedUntil },
    { of: "event", until: occurrence.eventPausedUntil },
    { of: "announcement", until: pauseEnd(announcement) },
  ];
  const latest = pauses.reduce((one, other) => ((other.until ?? 0) > (one.until ?? 0) ? other : one));
  if (latest.until === undefined || dueAt >= latest.until) return undefined;
  return `paused until ${instantText(latest.until)} (${latest.of})`;
}

function holidayReason({ announcement: { skipOn }, occurrence: { holidays = [] } }: SkipInput): string | undefined {
  const holiday = holidays.find(({ calendarNumber }) => calendarNumber === skipOn);
  return holiday && `holiday: ${holiday.name ?? "an event without a name"}`;
}

function instantText(at: EpochMs): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}
