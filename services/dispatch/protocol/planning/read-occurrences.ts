import { MAX_ENTRIES } from "../../../contracts/calendar-events.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type {
  Occurrence,
  OccurrencesStarting,
  OccurrencesStartingParams,
} from "../../../contracts/occurrences.contract.ts";
import type { Window } from "../../domain/plan/plan-input.ts";
import type { Owners } from "../ports.ts";
import type { Timing } from "../timing.ts";

const DAY_MS = 86_400_000;
/** How far ahead an event that was made after its due instant is looked for in a guild that has too many. */
const NARROW_REACH_MS = 7 * DAY_MS;
/** A reading of the soonest starts serves when it reaches this part of the horizon; what is due later is read in time. */
const FAR_ENOUGH = 8;
/** A reading that does not reach the horizon takes so large a part of the time that was too long. */
const SHORTER = 4;
/** What is due within so short a time is not read apart. */
const SHORTEST_MS = 1_000;
/** So many are read with their texts, to be kept for the hours in which their owner can't be asked; 7 kB each at most. */
const MAX_WITH_TEXTS = 500;

/** A guild's occurrences, as far as a plan looks. */
export interface OccurrencesRead {
  readonly occurrences: readonly Occurrence[];
  /** The soonest, with their texts. */
  readonly withTexts: readonly Occurrence[];
  /** As they were before they were called off. */
  readonly former: readonly Occurrence[];
  /** The starts of which all occurrences are known. */
  readonly windows: readonly Window[];
  /** Whatever is due before is known. */
  readonly through: EpochMs;
  /** Whether that is before the horizon: the guild has more occurrences than are read at a time. */
  readonly isShort: boolean;
  /** Set where more than are read at a time are due before `through`, nearly at once: the last that is known. */
  readonly lastKnown?: Occurrence | undefined;
}

interface Wanted {
  readonly guildId: GuildId;
  /** The lead times of the guild's announcements. */
  readonly leads: readonly number[];
  /** What was due before is not looked for. */
  readonly from: EpochMs;
  readonly now: EpochMs;
}

/** Reads what is due from an instant on: as far as the horizon, or as far as there is room for. */
export async function readOccurrences(
  owners: Owners,
  { horizonMs }: Timing,
  { guildId, leads, from, now }: Wanted,
): Promise<OccurrencesRead> {
  const horizon = now + horizonMs;
  const longest = Math.max(0, ...leads);
  // An event that was made late is due at once, however long the lead.
  const whole = [{ from, until: horizon + longest }];
  const first = await owners.occurrences({
    guildId,
    windows: whole,
    limit: MAX_WITH_TEXTS,
    texts: true,
    formerAfter: from,
  });
  const { occurrences: withTexts, former = [] } = first;
  const known = { withTexts, former };
  if (!first.truncated || leads.length === 0) {
    return { ...known, occurrences: withTexts, windows: whole, through: horizon, isShort: false };
  }
  const ask = (windows: readonly Window[], only: Pick<OccurrencesStartingParams, "changedSince"> = {}) =>
    owners.occurrences({ guildId, windows, limit: MAX_ENTRIES, texts: false, ...only });
  const all = await ask(whole);
  const last = all.occurrences.at(-1);
  const through = all.truncated && last !== undefined ? last.startsAt - longest : horizon;
  if (through >= now + horizonMs / FAR_ENOUGH) {
    const windows = [{ from, until: through + longest }];
    return { ...known, occurrences: all.occurrences, windows, through, isShort: all.truncated };
  }
  return { ...known, ...(await readNarrow(ask, { leads, from, now }, horizon, all.occurrences)), isShort: true };
}

type Ask = (
  windows: readonly Window[],
  only?: Pick<OccurrencesStartingParams, "changedSince">,
) => Promise<OccurrencesStarting>;

/**
 * Reads by due instants: for each lead time the starts that are due within a time, which is shortened until there is room
 * for all. Beside these, what got its start or colour since `from`, as it may be due at once.
 *
 * @param soonest - The soonest of all starts; those of them that announcements came too late for are told.
 */
async function readNarrow(
  ask: Ask,
  { leads, from, now }: Omit<Wanted, "guildId">,
  horizon: EpochMs,
  soonest: readonly Occurrence[],
): Promise<Pick<OccurrencesRead, "occurrences" | "windows" | "through" | "lastKnown">> {
  const reach = { from, until: from + Math.min(NARROW_REACH_MS, Math.max(0, ...leads)) };
  const mayBeLate = from <= now && reach.until > from;
  const late = mayBeLate ? await ask([reach], { changedSince: from }) : { occurrences: [], truncated: false };
  for (let span = (horizon - from) / SHORTER; ; span /= SHORTER) {
    const isShortest = span < SHORTEST_MS;
    const through = from + Math.ceil(span);
    const windows = dueWithin(leads, from, through);
    const due = await ask(windows);
    if (due.truncated && !isShortest) continue;
    const occurrences = distinct([...(mayBeLate ? soonest : []), ...late.occurrences, ...due.occurrences]);
    const cut = [due, late].find(({ truncated }) => truncated);
    if (cut !== undefined) return { occurrences, windows: [], through, lastKnown: cut.occurrences.at(-1) };
    return { occurrences, windows: merged([...windows, reach]), through };
  }
}

/** For each lead the starts that are due in `[from, through)`. */
function dueWithin(leads: readonly number[], from: EpochMs, through: EpochMs): Window[] {
  return merged([...new Set(leads)].map((lead) => ({ from: from + lead, until: through + lead })));
}

function merged(windows: readonly Window[]): Window[] {
  return windows.toSorted((one, other) => one.from - other.from).reduce<Window[]>(merge, []);
}

function merge(before: Window[], next: Window): Window[] {
  const last = before.at(-1);
  if (last === undefined || next.from > last.until) return [...before, next];
  return [...before.slice(0, -1), { from: last.from, until: Math.max(last.until, next.until) }];
}

function distinct(occurrences: readonly Occurrence[]): Occurrence[] {
  return [...new Map(occurrences.map((occurrence) => [occurrence.occurrenceId, occurrence])).values()];
}
