import fc from "fast-check";
import { FREQUENCIES } from "../../services/contracts/recurrence.ts";
import { instantToLocal, localToInstant } from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import type { Series } from "../../services/calendar-events/domain/recurrence/occurrences.ts";
import type { Window } from "../../services/contracts/window.ts";
import { type Zone, ianaZone } from "../../services/calendar-events/domain/calendar/zone.ts";

export const MINUTE = 60_000;
export const DAY = 86_400_000;

export function zone(name: string): Zone {
  const found = ianaZone(name);
  if (found === undefined) throw new Error(`no zone ${name}`);
  return found;
}

/** Zones whose clocks change at various hours and by various amounts, in both hemispheres, or never. */
export const ZONES = [
  "UTC",
  "America/New_York",
  "Europe/London",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "America/Sao_Paulo",
  "Asia/Kathmandu",
  "Asia/Beirut",
  "America/Scoresbysund",
  "Pacific/Chatham",
  "Africa/Monrovia",
];

/** A wall time of a start, also on days that some months lack, and on leap days. */
export const anyWallStart = fc
  .record({
    day: fc.oneof(
      fc.integer({ min: 1, max: 44_000 }),
      // Days that some months lack, and leap days.
      fc
        .record({ year: fc.integer({ min: 1970, max: 2090 }), month: fc.integer({ min: 0, max: 11 }) })
        .map(({ year, month }) => Math.floor(Date.UTC(year, month + 1, 0) / DAY)),
      fc.integer({ min: 493, max: 521 }).map((leap) => Math.floor(Date.UTC(leap * 4, 1, 29) / DAY)),
    ),
    minute: fc.oneof(
      fc.integer({ min: 0, max: 1439 }),
      fc.integer({ min: 0, max: 16 }).map((quarter) => quarter * 15),
    ),
  })
  .map(({ day, minute }) => day * DAY + minute * MINUTE);

export interface AnySeries {
  readonly series: Series;
  readonly wall: number;
  readonly zone: Zone;
}

/** A series in any zone that starts at an existing wall time. */
export const anySeries: fc.Arbitrary<AnySeries> = fc
  .record({
    wall: anyWallStart,
    zoneName: fc.constantFrom(...ZONES),
    minutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 100_000 })),
    frequency: fc.constantFrom(...FREQUENCIES),
    interval: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })),
    count: fc.oneof(fc.constant(-1), fc.integer({ min: 1, max: 60 })),
  })
  .map(({ wall, zoneName, minutes, frequency, interval, count }) => {
    const startsAt = localToInstant(wall, zone(zoneName));
    const times = { startsAt, endsAt: startsAt + minutes * MINUTE };
    const clock = [{ zone: zone(zoneName), since: 0 }] as const;
    return { series: { ...times, recurrence: { frequency, interval, count }, clock }, wall, zone: zone(zoneName) };
  })
  .filter(existsOnClock);

/** Whether the wall time of the start exists in its zone. */
export function existsOnClock({ series, wall, zone: { name } }: AnySeries): boolean {
  return instantToLocal(series.startsAt, zone(name)) === wall && wall >= DAY;
}

/** A window that begins some time after the series, or slightly before. */
export function anyWindow(series: Series, mostDays = 800): fc.Arbitrary<Window> {
  return fc
    .record({
      after: fc.oneof(fc.integer({ min: -40, max: 400 }), fc.integer({ min: 0, max: 9000 })),
      days: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: mostDays })),
      shift: fc.integer({ min: 0, max: DAY - 1 }),
    })
    .map(({ after, days, shift }) => {
      const from = series.startsAt + after * DAY + shift;
      return { from, until: from + days * DAY };
    });
}

export interface SeriesAndWindow extends AnySeries {
  readonly window: Window;
}

/** A series and a window. */
export const anySeriesAndWindow = anySeries.chain((any) =>
  anyWindow(any.series).map((window): SeriesAndWindow => Object.assign({ window }, any)),
);
