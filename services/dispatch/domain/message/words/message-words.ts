export type PerWeekday<T> = readonly [T, T, T, T, T, T, T];
export type PerMonth<T> = readonly [T, T, T, T, T, T, T, T, T, T, T, T];

/** A date in the calendar's time zone. */
interface LocalDate {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  /** 1 is Monday. */
  readonly weekday: number;
}

/** A length of time. */
export interface Duration {
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
}

/** A time of day, from 0:00 to 23:59. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** The words of a message that no date needs, in one language. */
export interface Terms {
  /** The title of an event without a name. */
  readonly announcement: string;
  /** Says that an event does not take place (D67). */
  readonly cancelled: string;
  readonly starts: string;
  readonly ends: string;
  /** Label of start and end in one line. */
  readonly when: string;
  readonly location: string;
  readonly info: string;
  /** An event without a name, in a digest. */
  readonly event: string;
  /** The number of further events in a digest, in the place of `{count}`. */
  readonly more: string;
  /** The same if there are more than that. */
  readonly moreThan: string;
}

/** All words of a message in one language. The compiler requires every word of every language. */
export interface AnnouncementWords extends Omit<Terms, "more" | "moreThan"> {
  readonly ids: (announcementId: string, occurrenceId: string) => string;
  /** The footer of a digest, with its due instant. */
  readonly digestIds: (announcementId: string, dueAt: string) => string;
  /** The number of further events in a digest; with `orMore` there are more than that. */
  readonly more: (count: number, orMore: boolean) => string;
  /** From Monday on. */
  readonly weekdays: PerWeekday<string>;
  readonly months: PerMonth<string>;
  /** Takes the names of weekday and month. */
  readonly date: (date: LocalDate, weekday: string, month: string) => string;
  /** A time such as `8:00 PM`. */
  readonly time12: (time: TimeOfDay) => string;
  /** A time such as `20:00`. */
  readonly time24: (time: TimeOfDay) => string;
  readonly dateTime: (date: string, time: string) => string;
  /** Takes whole days, hours and minutes; at least one of them is not 0, unless the time is shorter than a minute. */
  readonly duration: (time: Duration) => string;
}

/** The words that are made from other words, in the same way in every language. */
export function termWords({ more, moreThan, ...terms }: Terms) {
  const { announcement, event } = terms;
  return {
    ...terms,
    ids: (announcementId: string, occurrenceId: string) =>
      `${announcement} ${announcementId} · ${event} ${occurrenceId}`,
    digestIds: (announcementId: string, dueAt: string) => `${announcement} ${announcementId} · ${dueAt}`,
    more: (count: number, orMore: boolean) => (orMore ? moreThan : more).replace("{count}", String(count)),
  };
}

/** The parts of a duration that are shown: units of 0 are left out; `0 minutes` if all are. */
export function durationParts(
  { days, hours, minutes }: Duration,
  shown: (count: number, unit: keyof Duration) => string,
): string[] {
  return [
    ...(days === 0 ? [] : [shown(days, "days")]),
    ...(hours === 0 ? [] : [shown(hours, "hours")]),
    ...(minutes === 0 && (days > 0 || hours > 0) ? [] : [shown(minutes, "minutes")]),
  ];
}

/** The hour of a clock with twelve hours. */
export function hourOfTwelve(hour: number): number {
  return hour % 12 === 0 ? 12 : hour % 12;
}

export function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
