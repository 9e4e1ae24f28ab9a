import {
  type CreateEventParams,
  FREQUENCIES,
  type Frequency,
} from "../../services/contracts/calendar-events.contract.ts";

/** What a new event is but for its place. */
export type NewEvent = Omit<CreateEventParams, "guildId" | "calendarNumber">;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
/** The middle of the years that calendars are filled around. */
export const NOW = Date.UTC(2024, 4, 1);

/** Numbers from 0 to 1 in an order that never changes. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Twenty years of a guild around now: single events of all lengths, series that ended, go on and begin later. */
export function twentyYears(count: number): NewEvent[] {
  const roll = dice(7);
  return Array.from({ length: count }, (_, at): NewEvent => {
    const startsAt = NOW + Math.floor((roll() - 0.5) * 20 * YEAR);
    const endsAt = startsAt + Math.floor(roll() ** 6 * 30 * DAY);
    if (at % 2 === 0) return { startsAt, endsAt };
    const frequency = FREQUENCIES[at % 8 === 7 ? 3 : Math.floor(roll() * 4)] ?? "DAILY";
    const interval = 1 + Math.floor(roll() * 3);
    const recurrence = { frequency, interval, count: at % 8 === 7 ? -1 : 2 + Math.floor(roll() * 10) };
    return { startsAt, endsAt: startsAt + Math.floor(roll() * 5 * HOUR), recurs: true, recurrence };
  });
}

/** How often a series comes back, and how long it takes. */
interface Kind {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly longMs: number;
}

const DAYS = { DAILY: 1, WEEKLY: 7, MONTHLY: 30, YEARLY: 365 } as const satisfies Record<Frequency, number>;

const KINDS = 100;

/** A hundred kinds of series: all frequencies, intervals from 1 to 1000, and lengths up to a part of the period. */
function kindsOf(lengths: number): Kind[] {
  return Array.from({ length: KINDS }, (_, at): Kind => {
    const frequency = FREQUENCIES[at % 4] ?? "DAILY";
    const nth = Math.floor(at / 4);
    const interval = nth < 10 ? nth + 1 : Math.ceil(10 * 100 ** ((nth - 9) / 15));
    const part = lengths * ((at % 7) / 6) ** 2;
    return { frequency, interval, longMs: Math.max(HOUR, part * interval * DAYS[frequency] * DAY) };
  });
}

/**
 * Series of a hundred kinds, with lengths up to a part of the period: they began and ended, begin and end at all
 * distances from now, so that something is filed in every place that a window near now has to look at.
 */
export function everyKind(count: number, lengths: number): NewEvent[] {
  const roll = dice(5);
  const kinds = kindsOf(lengths);
  return Array.from({ length: count }, (_, at): NewEvent => {
    const { frequency, interval, longMs } = kinds[at % KINDS] as Kind;
    const period = interval * DAYS[frequency] * DAY;
    const distance = period * ((50 * YEAR) / period) ** roll();
    const startsAt = Math.max(0, Math.floor(roll() < 0.3 ? NOW + distance : NOW - distance));
    const most = Math.min(10_000, 2 * Math.ceil(distance / period));
    const recurrence = { frequency, interval, count: at % 5 === 0 ? -1 : Math.ceil(roll() * most) };
    return { startsAt, endsAt: startsAt + Math.floor(longMs), recurs: true, recurrence };
  });
}
