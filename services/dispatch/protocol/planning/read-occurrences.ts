import { MAX_ENTRIES } from "../../../contracts/calendar-events.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type {
  Occurrence,
  OccurrencesStarting,
  OccurrencesStartingParams,
} from "../../../contracts/occurrences.contract.ts";
import { mergedWindows, type Window } from "../../../contracts/window.ts";
import type { Owners } from "../ports.ts";
import type { Timing } from "../timing.ts";

const DAY_MS = 86_400_000;
/** In a guild with too many occurrences: how far ahead events that were created after their due instant are read. */
export const MAX_CREATED_LATE_MS = 7 * DAY_MS;
/** A read of the soonest starts is far enough if it reaches this part of the horizon. */
const FAR_ENOUGH_PART = 8;
/** A time span with too many occurrences is divided by this. */
const SPAN_DIVISOR = 4;
/** A shorter span is not divided. */
const MIN_SPAN_MS = 1_000;
/** Number of occurrences that are read with their texts and stored as sources; 7 kB each at most. */
const MAX_WITH_TEXTS = 500;

/** A guild's occurrences, as far as a plan needs them. */
export interface OccurrencesRead {
  readonly occurrences: readonly Occurrence[];
  /** The soonest, with their texts. */
  readonly withTexts: readonly Occurrence[];
  /** Occurrences as they were before they were changed or cancelled. */
  readonly former: readonly Occurrence[];
  /** The windows of starts in which every occurrence was read. */
  readonly windows: readonly Window[];
  /** Every occurrence whose posts are due before this instant was read. */
  readonly through: EpochMs;
  /** Whether `through` is before the horizon because the guild has more occurrences than can be read. */
  readonly isTruncated: boolean;
  /** The last occurrence that was read, if more than can be read are due almost at the same time before `through`. */
  readonly lastRead?: Occurrence | undefined;
}

interface ReadRange {
  readonly guildId: GuildId;
  /** Lead times of the guild's announcements. */
  readonly leads: readonly number[];
  /** The first due instant of the plan. */
  readonly from: EpochMs;
  readonly now: EpochMs;
}

/** Reads the soonest occurrences, with their texts. */
export function readSoonest(owners: Owners, timing: Timing, range: ReadRange): Promise<OccurrencesStarting> {
  const { guildId, from } = range;
  const windows = [wholeWindow(timing, range)];
  return owners.occurrences({ guildId, windows, limit: MAX_WITH_TEXTS, texts: true, formerAfter: from });
}

/** The starts of a plan: from `from` without a lead time, since an event that was created too late is due at once. */
function wholeWindow({ horizonMs }: Timing, { leads, from, now }: ReadRange): Window {
  return { from, until: now + horizonMs + Math.max(0, ...leads) };
}

/**
 * Reads the occurrences whose posts are due from an instant on, up to the horizon or to the bounds of a read.
 *
 * @param first - The result of `readSoonest`.
 */
export async function readOccurrences(
  owners: Owners,
  timing: Timing,
  range: ReadRange,
  first: OccurrencesStarting,
): Promise<OccurrencesRead> {
  const { guildId, leads, from, now } = range;
  const horizon = now + timing.horizonMs;
  const longest = Math.max(0, ...leads);
  const whole = [wholeWindow(timing, range)];
  const { occurrences: withTexts, former = [] } = first;
  const known = { withTexts, former };
  if (!first.truncated || leads.length === 0) {
    return { ...known, occurrences: withTexts, windows: whole, through: horizon, isTruncated: false };
  }
  const read = (windows: readonly Window[], only: Pick<OccurrencesStartingParams, "changedSince"> = {}) =>
    owners.occurrences({ guildId, windows, limit: MAX_ENTRIES, texts: false, ...only });
  const all = await read(whole);
  const last = all.occurrences.at(-1);
  const through = all.truncated && last !== undefined ? last.startsAt - longest : horizon;
  if (through >= now + timing.horizonMs / FAR_ENOUGH_PART) {
    const windows = [{ from, until: through + longest }];
    return { ...known, occurrences: all.occurrences, windows, through, isTruncated: all.truncated };
  }
  return {
    ...known,
    ...(await readByDueTime(read, { leads, from, now }, horizon, all.occurrences)),
    isTruncated: true,
  };
}

type ReadWindows = (
  windows: readonly Window[],
  only?: Pick<OccurrencesStartingParams, "changedSince">,
) => Promise<OccurrencesStarting>;

/**
 * Reads by due instants: for each lead time the starts that are due within a span, which is divided until all fit into one
 * read. Also reads events whose start or color changed since `from`, because they may be due at once.
 *
 * @param soonest - The soonest starts; their posts may be skipped, and need rows.
 */
async function readByDueTime(
  read: ReadWindows,
  { leads, from, now }: Omit<ReadRange, "guildId">,
  horizon: EpochMs,
  soonest: readonly Occurrence[],
): Promise<Pick<OccurrencesRead, "occurrences" | "windows" | "through" | "lastRead">> {
  const createdLate = { from, until: from + Math.min(MAX_CREATED_LATE_MS, Math.max(0, ...leads)) };
  const mayBeLate = from <= now && createdLate.until > from;
  const late = mayBeLate ? await read([createdLate], { changedSince: from }) : { occurrences: [], truncated: false };
  for (let span = (horizon - from) / SPAN_DIVISOR; ; span /= SPAN_DIVISOR) {
    const isShortest = span < MIN_SPAN_MS;
    const through = from + Math.ceil(span);
    const windows = dueWithin(leads, from, through);
    const due = await read(windows);
    if (due.truncated && !isShortest) continue;
    const occurrences = distinct([...(mayBeLate ? soonest : []), ...late.occurrences, ...due.occurrences]);
    const incomplete = [due, late].find(({ truncated }) => truncated);
    if (incomplete !== undefined) {
      return { occurrences, windows: [], through, lastRead: incomplete.occurrences.at(-1) };
    }
    return { occurrences, windows: mergedWindows([...windows, createdLate]), through };
  }
}

/** The windows of starts that are due in `[from, through)` under any of the lead times. */
export function dueWithin(leads: readonly number[], from: EpochMs, through: EpochMs): Window[] {
  return mergedWindows([...new Set(leads)].map((lead) => ({ from: from + lead, until: through + lead })));
}

function distinct(occurrences: readonly Occurrence[]): Occurrence[] {
  return [...new Map(occurrences.map((occurrence) => [occurrence.occurrenceId, occurrence])).values()];
}
