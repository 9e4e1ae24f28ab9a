/** The clock of a time zone for all time. Offsets are milliseconds that the clock is ahead of UTC. */
export interface ZoneRules {
  /** The offset before the first change. */
  readonly first: number;
  /** In order; each changes the offset. */
  readonly changes: readonly OffsetChange[];
  /** The changes of each year after the last of `changes`; none where the clock stays as it then is. */
  readonly yearly: readonly YearlyChange[];
}

/** From `at` on, in epoch milliseconds, the offset is this one. */
export interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

/** A change that comes back every year, as the rule at the end of a TZif file has it (RFC 9636, section 3.3.1). */
export interface YearlyChange {
  /** 1 to 12. */
  readonly month: number;
  /** The change is on this weekday, 0 for Sunday, on or after the day; without it on the day itself. */
  readonly weekday?: number;
  /** Days from the first of the month; below 0 they are in the month before. */
  readonly day: number;
  /** Milliseconds from the day's midnight on the clock that runs before the change; may be below 0, or more than a day. */
  readonly time: number;
  /** The offset before, and from then on. */
  readonly before: number;
  readonly offset: number;
}

/** One change of a clock: before `at` the offset is `before`, from then on `after`. */
export interface ClockChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The clock around a stretch of time: the offset at its start, and the changes after that, in order. */
export interface ClockSpan {
  readonly first: number;
  readonly changes: readonly ClockChange[];
}

const DAY_MS = 86_400_000;

/** The offset at `from`, and the changes after that up to `until`, both in epoch milliseconds. */
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
    // Of two at one instant the later stands: summer time of all the year ends where it begins.
    if (after === before || all[place + 1]?.at === at) continue;
    changes.push({ at, before, after });
    before = after;
  }
  return { first, changes };
}

/** How many of the changes are at `at` or earlier. */
function indexAfter(changes: readonly OffsetChange[], at: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.at ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The yearly changes after `from` up to `until`, and the offset of the last one before, where there is one. */
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
  // Stable: of two at one instant, the one of the later year stands.
  const inOrder = all.sort((one, other) => one.at - other.at).filter(({ at }) => at > end);
  const passed = inOrder.findLast(({ at }) => at <= from);
  const within = inOrder.filter(({ at }) => at > from && at <= until);
  return passed === undefined ? { changes: within } : { passed: passed.offset, changes: within };
}

function yearOf(at: number): number {
  return new Date(at).getUTCFullYear();
}

/** When a yearly change is in a year, in epoch milliseconds. */
export function instantIn(year: number, { month, day, weekday, time, before }: YearlyChange): number {
  const earliest = midnight(year, month, day);
  const wait = weekday === undefined ? 0 : (weekday - weekdayOf(earliest) + 7) % 7;
  return earliest + wait * DAY_MS + time - before;
}

/** The midnight that begins a day, counted from the first of a month, read as UTC; for years from 100 on. */
export function midnight(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, 1 + day);
}

/** The weekday of a midnight, 0 for Sunday. */
export function weekdayOf(at: number): number {
  return new Date(at).getUTCDay();
}

/** The rules without changes that leave the offset as it is, such as those of a zone's abbreviation alone. */
export function withoutNoOpChanges({ first, changes, yearly }: ZoneRules): ZoneRules {
  let current = first;
  const real = changes.filter(({ offset }) => {
    const isChange = offset !== current;
    current = offset;
    return isChange;
  });
  return { first, changes: real, yearly };
}
