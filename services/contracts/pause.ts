import { clearable, epochMs, optional } from "./field-rules.ts";
import type { EpochMs } from "./ids.ts";

/** The pause of a guild, a calendar, an event or an announcement (D62). */
export interface Pause {
  /** Posts that are due before this instant are skipped. */
  readonly pausedUntil?: EpochMs;
  /**
   * How far the pauses before the last write had reached at that write. Posts that were due before stay unsent after a pause was
   * ended. Responses of the API do not have it. Database time.
   */
  readonly pauseEndedAt?: EpochMs;
}

/** Kinds of reasons why a post is skipped when it is due: by a pause (D62), or on a holiday (D66). */
export const SKIP_CODES = ["PAUSED", "HOLIDAY"] as const;

/** Why a post will be skipped when it is due, if nothing changes before. */
export interface ForeseenSkip {
  readonly skipCode?: (typeof SKIP_CODES)[number];
  readonly skipReason?: string;
}

/** A new end of a pause; null ends it, and an absent one leaves it. */
export interface PauseChange {
  readonly pausedUntil?: EpochMs | null;
}

/** The rule of `pausedUntil` in a create. */
export const pauseRule = optional(epochMs);
/** The rule of `pausedUntil` in an update; null ends the pause. */
export const changedPauseRule = clearable(epochMs);

/** The instant before which posts are skipped; undefined if there was no pause yet. */
export function pauseEnd({ pausedUntil, pauseEndedAt }: Pause): EpochMs | undefined {
  if (pausedUntil === undefined || pauseEndedAt === undefined) return pausedUntil ?? pauseEndedAt;
  return Math.max(pausedUntil, pauseEndedAt);
}

/** The pause after a change of its end. The store sets `pauseEndedAt`. */
export function changedPause({ pausedUntil, pauseEndedAt }: Pause, change: PauseChange["pausedUntil"]): Pause {
  const next = change === undefined ? pausedUntil : (change ?? undefined);
  return {
    ...(next === undefined ? {} : { pausedUntil: next }),
    ...(pauseEndedAt === undefined ? {} : { pauseEndedAt }),
  };
}

/** `pauseEndedAt` after a write, as the stores compute it; for drafts, which are not stored (D58). */
export function pauseEndedBy({ pausedUntil, pauseEndedAt }: Pause, now: EpochMs): Pick<Pause, "pauseEndedAt"> {
  if (pausedUntil === undefined) return pauseEndedAt === undefined ? {} : { pauseEndedAt };
  return { pauseEndedAt: Math.max(pauseEndedAt ?? 0, Math.min(pausedUntil, now)) };
}
