import { MOST_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { Window } from "../domain/plan-truth.ts";
import type { Owners } from "./ports.ts";
import type { Timing } from "./timing.ts";

const DAY_MS = 86_400_000;
/** Below this a guild's horizon does not shrink. */
const LEAST_HORIZON_MS = 3_600_000;
/** How far ahead an event that was made after its due instant is looked for in a guild that has too many. */
const NARROW_REACH_MS = 7 * DAY_MS;
/** So many are read with their texts, to be kept for the hours in which their owner can't be asked; 7 kB each at most. */
const MAX_WITH_TEXTS = 500;

/** A guild's occurrences, as far as a plan looks. */
export interface OccurrencesRead {
  readonly occurrences: readonly Occurrence[];
  /** The soonest, with their texts. */
  readonly withTexts: readonly Occurrence[];
  /** As they were before they were called off. */
  readonly former: readonly Occurrence[];
  /** The starts that were looked at in full; none where even the nearest horizon holds too many. */
  readonly windows: readonly Window[];
  /** The end of the horizon that was read. */
  readonly through: EpochMs;
  /** Set where there are too many: all that is due before is known. */
  readonly completeThrough: EpochMs | undefined;
}

/** Reads with a nearer horizon while there are too many. */
export async function readOccurrences(
  owners: Owners,
  { horizonMs }: Timing,
  { guildId, leads, from, now }: { guildId: GuildId; leads: readonly number[]; from: EpochMs; now: EpochMs },
): Promise<OccurrencesRead> {
  const whole = wideWindow(leads, from, now + horizonMs);
  const first = await owners.occurrences({
    guildId,
    windows: whole,
    limit: MAX_WITH_TEXTS,
    texts: true,
    formerAfter: from,
  });
  const { occurrences: withTexts, former = [] } = first;
  if (!first.truncated) {
    return { ...first, former, withTexts, windows: whole, through: now + horizonMs, completeThrough: undefined };
  }
  for (let horizon = horizonMs, narrow = false; ; horizon = narrow ? horizon / 2 : horizon, narrow = true) {
    const last = horizon / 2 < Math.min(LEAST_HORIZON_MS, horizonMs / 4);
    const through = now + horizon;
    const windows = narrow ? narrowWindows(leads, from, through) : whole;
    const { occurrences, truncated } = await owners.occurrences({
      guildId,
      windows,
      limit: MOST_ENTRIES,
      texts: false,
    });
    if (truncated && !last) continue;
    if (!truncated) {
      const completeThrough = horizon < horizonMs ? through : undefined;
      return { occurrences, former, withTexts, windows, through, completeThrough };
    }
    const lastStart = occurrences.at(-1)?.startsAt ?? from;
    const completeThrough = Math.max(from, lastStart - Math.max(0, ...leads));
    return { occurrences, former, withTexts, windows: [], through, completeThrough };
  }
}

/** All starts up to the longest lead beyond the horizon: an event made late is due at once, however long the lead. */
function wideWindow(leads: readonly number[], from: EpochMs, through: EpochMs): Window[] {
  return [{ from, until: through + Math.max(0, ...leads) }];
}

/** For each lead the starts that are due within the horizon, and those of the next week for events made late. */
function narrowWindows(leads: readonly number[], from: EpochMs, through: EpochMs): Window[] {
  const wanted = [...new Set(leads)].map((lead) => ({ from: from + lead, until: through + lead }));
  wanted.push({ from, until: from + Math.min(NARROW_REACH_MS, Math.max(60_000, ...leads)) });
  return wanted.sort((one, other) => one.from - other.from).reduce<Window[]>(merge, []);
}

function merge(merged: Window[], next: Window): Window[] {
  const last = merged.at(-1);
  if (last === undefined || next.from > last.until) return [...merged, next];
  return [...merged.slice(0, -1), { from: last.from, until: Math.max(last.until, next.until) }];
}
