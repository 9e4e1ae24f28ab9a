import type { Language } from "../../../contracts/guild-settings.contract.ts";

type PerWeekday<T> = readonly [T, T, T, T, T, T, T];
type PerMonth<T> = readonly [T, T, T, T, T, T, T, T, T, T, T, T];

/** A date in the calendar's time zone. */
interface LocalDate {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  /** 1 is Monday. */
  readonly weekday: number;
}

/** All words of a message in one language. The compiler requires every word of every language. */
export interface AnnouncementWords {
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
  readonly ids: (announcementId: string, occurrenceId: string) => string;
  /** The footer of a digest, with its due instant. */
  readonly digestIds: (announcementId: string, dueAt: string) => string;
  /** An event without a name, in a digest. */
  readonly event: string;
  /** The number of further events in a digest; with `orMore` there are more than that. */
  readonly more: (count: number, orMore: boolean) => string;
  /** From Monday on. */
  readonly weekdays: PerWeekday<string>;
  readonly months: PerMonth<string>;
  /** Takes the names of weekday and month. */
  readonly date: (date: LocalDate, weekday: string, month: string) => string;
  /** Takes a time such as `8:00` in the 12-hour format. */
  readonly beforeNoon: (clock: string) => string;
  readonly afterNoon: (clock: string) => string;
  readonly dateTime: (date: string, time: string) => string;
  /** Takes whole days, hours and minutes; at least one of them is not 0, unless the time is shorter than a minute. */
  readonly duration: (time: Duration) => string;
}

/** A length of time. */
interface Duration {
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
}

type Units = { readonly [Unit in keyof Duration]: readonly [one: string, several: string] };

/** Units after their numbers, such as `1 hour 30 minutes`. Units of 0 are left out; `0 minutes` if all are. */
function withUnits(units: Units, separator = " "): AnnouncementWords["duration"] {
  return ({ days, hours, minutes }) => {
    const shown = (count: number, [one, several]: Units["days"]) => `${count}${count === 1 ? one : several}`;
    const parts = [
      ...(days === 0 ? [] : [shown(days, units.days)]),
      ...(hours === 0 ? [] : [shown(hours, units.hours)]),
      ...(minutes === 0 && (days > 0 || hours > 0) ? [] : [shown(minutes, units.minutes)]),
    ];
    return parts.join(separator);
  };
}

const english: AnnouncementWords = {
  announcement: "Announcement",
  cancelled: "Cancelled",
  starts: "Starts",
  ends: "Ends",
  when: "When",
  location: "Location",
  info: "Additional information",
  ids: (announcementId, occurrenceId) => `Announcement ${announcementId} · Event ${occurrenceId}`,
  digestIds: (announcementId, dueAt) => `Announcement ${announcementId} · ${dueAt}`,
  event: "Event",
  more: (count, orMore) => (orMore ? `and more than ${count} more` : `and ${count} more`),
  weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
  months: [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
  ],
  date: ({ year, day }, weekday, month) => `${weekday}, ${month} ${day}, ${year}`,
  beforeNoon: (clock) => `${clock} AM`,
  afterNoon: (clock) => `${clock} PM`,
  dateTime: (date, time) => `${date}, ${time}`,
  duration: withUnits({ days: [" day", " days"], hours: [" hour", " hours"], minutes: [" minute", " minutes"] }),
};

const japanese: AnnouncementWords = {
  announcement: "お知らせ",
  cancelled: "中止になりました",
  starts: "開始",
  ends: "終了",
  when: "日時",
  location: "場所",
  info: "追加情報",
  ids: (announcementId, occurrenceId) => `お知らせ ${announcementId} · イベント ${occurrenceId}`,
  digestIds: (announcementId, dueAt) => `お知らせ ${announcementId} · ${dueAt}`,
  event: "イベント",
  more: (count, orMore) => (orMore ? `ほか${count}件以上` : `ほか${count}件`),
  weekdays: ["月", "火", "水", "木", "金", "土", "日"],
  months: ["1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"],
  date: ({ year, day }, weekday, month) => `${year}年${month}${day}日(${weekday})`,
  beforeNoon: (clock) => `午前${clock}`,
  afterNoon: (clock) => `午後${clock}`,
  dateTime: (date, time) => `${date} ${time}`,
  duration: withUnits({ days: ["日", "日"], hours: ["時間", "時間"], minutes: ["分", "分"] }, ""),
};

const portuguese: AnnouncementWords = {
  announcement: "Anúncio",
  cancelled: "Cancelado",
  starts: "Início",
  ends: "Término",
  when: "Quando",
  location: "Local",
  info: "Informações adicionais",
  ids: (announcementId, occurrenceId) => `Anúncio ${announcementId} · Evento ${occurrenceId}`,
  digestIds: (announcementId, dueAt) => `Anúncio ${announcementId} · ${dueAt}`,
  event: "Evento",
  more: (count, orMore) => (orMore ? `e mais de ${count} outros` : `e mais ${count}`),
  weekdays: ["segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"],
  months: [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
  ],
  date: ({ year, day }, weekday, month) => `${weekday}, ${day} de ${month} de ${year}`,
  beforeNoon: (clock) => `${clock} AM`,
  afterNoon: (clock) => `${clock} PM`,
  dateTime: (date, time) => `${date}, ${time}`,
  duration: withUnits({ days: [" dia", " dias"], hours: [" hora", " horas"], minutes: [" minuto", " minutos"] }),
};

const spanish: AnnouncementWords = {
  announcement: "Anuncio",
  cancelled: "Cancelado",
  starts: "Comienza",
  ends: "Termina",
  when: "Cuándo",
  location: "Lugar",
  info: "Información adicional",
  ids: (announcementId, occurrenceId) => `Anuncio ${announcementId} · Evento ${occurrenceId}`,
  digestIds: (announcementId, dueAt) => `Anuncio ${announcementId} · ${dueAt}`,
  event: "Evento",
  more: (count, orMore) => (orMore ? `y más de ${count} más` : `y ${count} más`),
  weekdays: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
  months: [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
  ],
  date: ({ year, day }, weekday, month) => `${weekday}, ${day} de ${month} de ${year}`,
  beforeNoon: (clock) => `${clock} a. m.`,
  afterNoon: (clock) => `${clock} p. m.`,
  dateTime: (date, time) => `${date}, ${time}`,
  duration: withUnits({ days: [" día", " días"], hours: [" hora", " horas"], minutes: [" minuto", " minutos"] }),
};

/** The words of each language (D10). They are fixed here because the tables of a runtime change with its version. */
export const ANNOUNCEMENT_WORDS: Readonly<Record<Language, AnnouncementWords>> = {
  ENGLISH: english,
  JAPANESE: japanese,
  PORTUGUESE: portuguese,
  SPANISH: spanish,
};
