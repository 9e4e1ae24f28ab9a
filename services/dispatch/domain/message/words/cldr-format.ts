import type { Language } from "../../../../contracts/guild-settings.contract.ts";
import type { Duration, PerMonth, PerWeekday } from "./message-words.ts";

/** The languages whose dates, times and durations are those of CLDR (D70). The tables of the others are written by hand. */
export type CldrLanguage = Exclude<Language, "ENGLISH" | "JAPANESE" | "PORTUGUESE" | "SPANISH">;

/** The text after a number, by the plural category of the number. A category without a text of its own has that of `other`. */
export type UnitForms = { readonly [Category in Exclude<Intl.LDMLPluralRule, "other">]?: string } & {
  readonly other: string;
};

/** The formats of one language. A pattern has the fields of CLDR in braces, such as `{EEEE}` for the weekday. */
export interface CldrFormat {
  /** The BCP 47 tag. */
  readonly locale: string;
  /** From Monday on. */
  readonly weekdays: PerWeekday<string>;
  /** In the form that a date needs, such as the genitive. */
  readonly months: PerMonth<string>;
  /** With `{EEEE}`, `{d}` or `{dd}`, `{MMMM}` and `{y}`. */
  readonly date: string;
  /** With `{date}` and `{time}`. */
  readonly dateTime: string;
  /** With `{H}` or `{HH}`, and `{mm}`. */
  readonly time24: string;
  /** With `{h}` or `{hh}`, and `{mm}`. */
  readonly beforeNoon: string;
  readonly afterNoon: string;
  readonly units: Readonly<Record<keyof Duration, UnitForms>>;
  /** The text between two units, between the first two of three, and between the last two of three. */
  readonly list: { readonly two: string; readonly middle: string; readonly last: string };
}
