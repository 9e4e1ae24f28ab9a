import type { CreateEventParams } from "../../services/contracts/calendar-events.contract.ts";
import { FREQUENCIES } from "../../services/contracts/recurrence.ts";

/** The fields of a new event, except its guild, calendar and id. */
export type NewEvent = Omit<CreateEventParams, "guildId" | "calendarNumber">;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
/** The middle of the years with events. */
export const NOW = Date.UTC(2024, 4, 1);

/** Numbers from 0 to 1, always in the same order. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Twenty years of a guild: single events of all durations, and past, current and future series. */
export function twentyYears(count: number): NewEvent[] {
  const random = randomNumbers(7);
  return Array.from({ length: count }, (_, at): NewEvent => {
    const startsAt = NOW + Math.floor((random() - 0.5) * 20 * YEAR);
    const endsAt = startsAt + Math.floor(random() ** 6 * 30 * DAY);
    if (at % 2 === 0) return { startsAt, endsAt };
    const frequency = FREQUENCIES[at % 8 === 7 ? 3 : Math.floor(random() * 4)] ?? "DAILY";
    const interval = 1 + Math.floor(random() * 3);
    const recurrence = { frequency, interval, count: at % 8 === 7 ? -1 : 2 + Math.floor(random() * 10) };
    return { startsAt, endsAt: startsAt + Math.floor(random() * 5 * HOUR), recurs: true, recurrence };
  });
}

/** Series of all frequencies from long ago to long after now, with occurrences of a few hours. */
export function ongoingSeries(count: number): NewEvent[] {
  const random = randomNumbers(5);
  return Array.from({ length: count }, (_, at): NewEvent => {
    const startsAt = NOW - Math.floor(random() * 10 * YEAR);
    const frequency = FREQUENCIES[at % 4] ?? "DAILY";
    const times = { startsAt, endsAt: startsAt + Math.floor(random() * 3 * HOUR) };
    return { ...times, recurs: true, recurrence: { frequency } };
  });
}

/** Series of many rules and durations, which begin and end at all distances from now. */
export function everyRule(count: number): NewEvent[] {
  const random = randomNumbers(9);
  return Array.from({ length: count }, (_, at): NewEvent => {
    const startsAt = NOW + Math.floor((random() - 0.7) * 10 * YEAR);
    const endsAt = startsAt + Math.floor(random() ** 8 * 60 * DAY);
    const recurrence = { frequency: FREQUENCIES[at % 4] ?? "DAILY", interval: 1 + Math.floor(at / 4) };
    return { startsAt, endsAt, recurs: true, recurrence: at % 3 === 0 ? recurrence : { ...recurrence, count: 2 + at } };
  });
}
