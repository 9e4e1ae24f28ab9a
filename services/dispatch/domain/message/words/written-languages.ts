import {
  type AnnouncementWords,
  type Duration,
  durationParts,
  hourOfTwelve,
  termWords,
  twoDigits,
} from "./message-words.ts";

type Units = { readonly [Unit in keyof Duration]: readonly [one: string, several: string] };

/** Units after their numbers, such as `1 hour 30 minutes`. */
function withUnits(units: Units, separator = " "): AnnouncementWords["duration"] {
  const shown = (count: number, unit: keyof Duration) => {
    const [one, several] = units[unit];
    return `${count}${count === 1 ? one : several}`;
  };
  return (time) => durationParts(time, shown).join(separator);
}

type ClockText = (clock: string) => string;

/** Times whose hours have two digits of 24, and as few as possible of 12. */
function withClock(beforeNoon: ClockText, afterNoon: ClockText): Pick<AnnouncementWords, "time12" | "time24"> {
  return {
    time12: ({ hour, minute }) => {
      const clock = `${hourOfTwelve(hour)}:${twoDigits(minute)}`;
      return hour < 12 ? beforeNoon(clock) : afterNoon(clock);
    },
    time24: ({ hour, minute }) => `${twoDigits(hour)}:${twoDigits(minute)}`,
  };
}

export const english: AnnouncementWords = {
  ...termWords({
    announcement: "Announcement",
    cancelled: "Cancelled",
    starts: "Starts",
    ends: "Ends",
    when: "When",
    location: "Location",
    info: "Additional information",
    event: "Event",
    more: "and {count} more",
    moreThan: "and more than {count} more",
  }),
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
  ...withClock(
    (clock) => `${clock} AM`,
    (clock) => `${clock} PM`,
  ),
  dateTime: (date, time) => `${date}, ${time}`,
  duration: withUnits({ days: [" day", " days"], hours: [" hour", " hours"], minutes: [" minute", " minutes"] }),
};

export const japanese: AnnouncementWords = {
  ...termWords({
    announcement: "お知らせ",
    cancelled: "中止になりました",
    starts: "開始",
    ends: "終了",
    when: "日時",
    location: "場所",
    info: "追加情報",
    event: "イベント",
    more: "ほか{count}件",
    moreThan: "ほか{count}件以上",
  }),
  weekdays: ["月", "火", "水", "木", "金", "土", "日"],
  months: ["1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"],
  date: ({ year, day }, weekday, month) => `${year}年${month}${day}日(${weekday})`,
  ...withClock(
    (clock) => `午前${clock}`,
    (clock) => `午後${clock}`,
  ),
  dateTime: (date, time) => `${date} ${time}`,
  duration: withUnits({ days: ["日", "日"], hours: ["時間", "時間"], minutes: ["分", "分"] }, ""),
};

export const portuguese: AnnouncementWords = {
  ...termWords({
    announcement: "Anúncio",
    cancelled: "Cancelado",
    starts: "Início",
    ends: "Término",
    when: "Quando",
    location: "Local",
    info: "Informações adicionais",
    event: "Evento",
    more: "e mais {count}",
    moreThan: "e mais de {count} outros",
  }),
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
  ...withClock(
    (clock) => `${clock} AM`,
    (clock) => `${clock} PM`,
  ),
  dateTime: (date, time) => `${date}, ${time}`,
  duration: withUnits({ days: [" dia", " dias"], hours: [" hora", " horas"], minutes: [" minuto", " minutos"] }),
};

export const spanish: AnnouncementWords = {
  ...termWords({
    announcement: "Anuncio",
    cancelled: "Cancelado",
    starts: "Comienza",
    ends: "Termina",
    when: "Cuándo",
    location: "Lugar",
    info: "Información adicional",
    event: "Evento",
    more: "y {count} más",
    moreThan: "y más de {count} más",
  }),
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
  ...withClock(
    (clock) => `${clock} a. m.`,
    (clock) => `${clock} p. m.`,
  ),
  dateTime: (date, time) => `${date}, ${time}`,
  duration: withUnits({ days: [" día", " días"], hours: [" hora", " horas"], minutes: [" minuto", " minutos"] }),
};
