/** The rules of a time zone. An offset is the number of milliseconds by which the clock is ahead of UTC. */
export interface ZoneRules {
  /** The offset before the first change. */
  readonly first: number;
  /** The changes of the offset, in order. */
  readonly changes: readonly OffsetChange[];
  /** The yearly changes after the last of `changes`; empty if the clock does not change any more. */
  readonly yearly: readonly YearlyChange[];
}

/** From the instant `at` on (epoch milliseconds) the clock has this offset. */
export interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

/** A yearly change, like the rule in the footer of a TZif file (RFC 9636, section 3.3.1). */
export interface YearlyChange {
  /** 1 … 12. */
  readonly month: number;
  /**
   * With a weekday (0 for Sunday), the change is on the first such day at or after `day`; otherwise on `day` itself.
   */
  readonly weekday?: number;
  /** Days after the first of the month; negative for the month before. */
  readonly day: number;
  /** Milliseconds from midnight on the clock before the change; may be negative, or more than a day. */
  readonly time: number;
  /** Offset before the change, and from then on. */
  readonly before: number;
  readonly offset: number;
}

/** A change of a clock: the offset is `before` until the instant `at`, and `after` from then on. */
export interface ClockChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The clock in a time span: the offset at its start, and the changes after that, in order. */
export interface ClockSpan {
  readonly first: number;
  readonly changes: readonly ClockChange[];
}

const DAY_MS = 86_400_000;

/** Returns the offset at `from`, and the changes after that up to `until`; both are epoch milliseconds. */
export function clockBetween(rules: ZoneRules, from: number, until: number): ClockSpan {
  const passed = indexAfter(rules.changes, from);
  const own = rules.changes.slice(passed, indexAfter(rules.changes, until));
  const latest = rules.changes[passed - 1];
  const later = yearlyBetween(rules, from, until);
  const first = later.passed ?? latest?.offset ?? rules.first;
  const all = [...own, ...later.changes];
  let before = first;
  const changes: ClockChange[] = [];
  for (const [place, { at, offset: after }] of all.entries()) {
    // If two changes are at one instant, the later one counts: permanent summer time ends where it begins.
    if (after === before || all[place + 1]?.at === at) continue;
    changes.push({ at, before, after });
    before = after;
  }
  return { first, changes };
}

/** Number of changes at `at` or earlier. */
function indexAfter(changes: readonly OffsetChange[], at: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.at ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The yearly changes after `from` up to `until`, and the offset of the last one before, if any. */
function yearlyBetween(
  { changes, yearly }: ZoneRules,
  from: number,
  until: number,
): { readonly passed?: number; readonly changes: readonly OffsetChange[] } {
  const end = changes.at(-1)?.at ?? -Infinity;
  if (yearly.length === 0 || until <= end) return { changes: [] };
  const [firstYear, lastYear] = [yearOf(Math.max(from, end)) - 1, yearOf(until) + 1];
  const all: OffsetChange[] = [];
  for (let year = firstYear; year <= lastYear; year += 1) {
    for (const change of yearly) all.push({ at: instantIn(year, change), offset: change.offset });
  }
  // The sort is stable: of two changes at one instant, the one of the later year counts.
  const inOrder = all.sort((one, other) => one.at - other.at).filter(({ at }) => at > end);
  const passed = inOrder.findLast(({ at }) => at <= from);
  const within = inOrder.filter(({ at }) => at > from && at <= until);
  return passed === undefined ? { changes: within } : { passed: passed.offset, changes: within };
}

function yearOf(at: number): number {
  return new Date(at).getUTCFullYear();
}

/** The instant of a yearly change in a year, in epoch milliseconds. */
export function instantIn(year: number, { month, day, weekday, time, before }: YearlyChange): number {
  const earliest = midnight(year, month, day);
  const wait = weekday === undefined ? 0 : (weekday - weekdayOf(earliest) + 7) % 7;
  return earliest + wait * DAY_MS + time - before;
}

/** Midnight UTC of the day that is `day` days after the first of the month. Not for years before 100 (`Date.UTC`). */
export function midnight(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, 1 + day);
}

/** The weekday of an instant at midnight UTC, 0 for Sunday. */
export function weekdayOf(at: number): number {
  // 1970-01-01 was a Thursday. Arithmetic takes a fraction of the time of a Date.
  return (((at / DAY_MS + 4) % 7) + 7) % 7;
}

/** Removes changes that keep the offset, such as a change of only the abbreviation. */
export function withoutNoOpChanges({ first, changes, yearly }: ZoneRules): ZoneRules {
  let current = first;
  const real = changes.filter(({ offset }) => {
    const isChange = offset !== current;
    current = offset;
    return isChange;
  });
  return { first, changes: real, yearly };
}
