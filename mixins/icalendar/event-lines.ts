import {
  IMPORTED_PROPERTIES,
  MAX_EVENT_LENGTH,
  MAX_UID_LENGTH,
  type SkipReason,
} from "../../services/contracts/event-import.contract.ts";
import type { ContentLine } from "./line-reader.ts";
import { timeZoneId } from "./time-zone-id.ts";

/** A VEVENT with the properties that are imported. */
export interface ScannedEvent {
  /** The line of its BEGIN. */
  readonly line: number;
  readonly uid: string;
  /** The RECURRENCE-ID as it is written; empty for the event itself. */
  readonly recurrenceId: string;
  readonly sequence: number;
  /** The TZIDs of its times. */
  readonly zones: readonly string[];
  /** Its content lines, which a line feed separates. */
  readonly text: string;
}

/** A VEVENT that cannot be imported. */
export interface UnreadableEvent {
  readonly line: number;
  readonly reason: SkipReason;
  /** Absent if the VEVENT has no UID, or a longer one than an event can have. */
  readonly uid?: string;
}

const IMPORTED: ReadonlySet<string> = new Set(IMPORTED_PROPERTIES);
/** Properties that may occur several times, and how many of them are read. */
const REPEATED: Readonly<Record<string, number>> = {
  RRULE: 2,
  EXRULE: 1,
  IMAGE: 2,
  ATTACH: 4,
  EXDATE: Infinity,
  RDATE: Infinity,
};
/** Properties of dates, whose number a client may choose. */
const DATES: ReadonlySet<string> = new Set(["EXDATE", "RDATE"]);
const MAX_DATES_LENGTH = 20_000;
/**
 * Largest number of characters of a line that are kept, by property: for a text, twice its largest length, because each
 * character may be escaped, and room for its parameters.
 */
const KEPT: Readonly<Record<string, number>> = {
  DESCRIPTION: 9_000,
  SUMMARY: 1_500,
  LOCATION: 1_500,
  IMAGE: 2_300,
  ATTACH: 2_300,
};
/** Largest size of one VEVENT in a call over the bus. */
const MAX_EVENT_BYTES = 49_152;
/** Largest number of TZIDs in one VEVENT. */
const MAX_ZONES = 5;

/** Collects the lines of a VEVENT while a body is read. */
export class EventLines {
  readonly #line: number;
  readonly #lines: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #zones = new Set<string>();
  #length = 0;
  #datesLength = 0;
  #reason: SkipReason | undefined;
  #uid = "";
  #recurrenceId = "";
  #sequence = 0;

  constructor(line: number) {
    this.#line = line;
  }

  /** Adds the line of a property; false if the line is not imported. */
  add(name: string, { text, isCut }: ContentLine): boolean {
    if (text === undefined) {
      this.#reason ??= "NOT_UTF8";
      return true;
    }
    if (!IMPORTED.has(name) || (name === "ATTACH" && !isAddress(text))) return false;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (count > (REPEATED[name] ?? 1)) return false;
    const kept = text.slice(0, KEPT[name] ?? Infinity).toWellFormed();
    if (DATES.has(name)) this.#datesLength += kept.length;
    this.#length += kept.length + 1;
    if (DATES.has(name) && (isCut || this.#datesLength > MAX_DATES_LENGTH)) this.#reason ??= "TOO_MANY_EXCEPTIONS";
    else if (this.#length > MAX_EVENT_LENGTH || (isCut && KEPT[name] === undefined)) this.#reason ??= "TOO_LARGE";
    this.#note(name, kept);
    if (this.#reason === undefined) this.#lines.push(kept.replaceAll("\r", ""));
    return true;
  }

  end(): ScannedEvent | UnreadableEvent {
    const [line, uid] = [this.#line, this.#uid];
    const hasUid = uid !== "" && uid.length <= MAX_UID_LENGTH;
    const unreadable = (reason: SkipReason) => ({ line, reason, ...(hasUid ? { uid } : {}) });
    if (this.#reason !== undefined) return unreadable(this.#reason);
    if (uid === "") return unreadable("NO_UID");
    const text = this.#lines.join("\n");
    const isTooLarge = !hasUid || this.#zones.size > MAX_ZONES || Buffer.byteLength(text) > MAX_EVENT_BYTES;
    if (isTooLarge) return unreadable("TOO_LARGE");
    const of = { uid, recurrenceId: this.#recurrenceId, sequence: this.#sequence };
    return { line, ...of, zones: [...this.#zones], text };
  }

  #note(name: string, text: string): void {
    const value = text.slice(text.indexOf(":") + 1).trim();
    if (name === "UID") this.#uid = value;
    if (name === "RECURRENCE-ID") this.#recurrenceId = text;
    if (name === "SEQUENCE") this.#sequence = /^[0-9]{1,15}$/.test(value) ? Number(value) : 0;
    const zone = /;TZID=("[^"]*"|[^;:"]*)/i.exec(text.slice(0, MAX_PARAMS_LENGTH))?.[1];
    if (zone !== undefined && HAS_ZONE.has(name)) this.#zones.add(timeZoneId(zone.replaceAll('"', "")));
  }
}

const HAS_ZONE: ReadonlySet<string> = new Set(["DTSTART", "DTEND", "EXDATE", "RDATE", "RECURRENCE-ID"]);
/** Number of characters at the beginning of a line in which a parameter is looked for. */
const MAX_PARAMS_LENGTH = 1_000;

/** Whether an ATTACH is the address of a file. A file in the body itself is not imported. */
function isAddress(text: string): boolean {
  return !/[;]VALUE=BINARY/i.test(text.slice(0, MAX_PARAMS_LENGTH));
}
