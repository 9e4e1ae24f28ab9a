import type { EpochMs } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { type Pause, pauseEnd } from "../../../contracts/pause.ts";

/** What may pause a post (D62). */
export interface Pauses {
  readonly settings: Pause;
  readonly announcement: Pause;
  readonly occurrence: Pick<Occurrence, "eventPausedUntil" | "calendarPausedUntil">;
}

/** Why a post that is due at an instant is skipped then in place of being sent; undefined if nothing pauses it. */
export function skippedWhenDue(dueAt: EpochMs, { settings, announcement, occurrence }: Pauses): string | undefined {
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

function instantText(at: EpochMs): string {
  return new Date(at).toISOString().replace(".000Z", "Z");
}
