import { MAX_ZONE_LENGTH } from "../../services/contracts/event-import.contract.ts";
import { timeZoneId } from "./time-zone-id.ts";

/** The properties that are kept, of a zone and of an observance: a STANDARD or DAYLIGHT component (RFC 5545, 3.6.5). */
const OF_ZONE: ReadonlySet<string> = new Set(["TZID", "X-LIC-LOCATION"]);
const OF_OBSERVANCE: ReadonlySet<string> = new Set(["DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"]);
/** Largest number of characters of a line that is kept, except RDATEs. */
const MAX_LINE_LENGTH = 300;
/** Largest number of characters of the RDATEs of an observance: two such observances are kept. */
const MAX_DATES_LENGTH = 900;
/** Later than each date of an observance. */
const AFTER_ALL_DATES = "99991231T235960";

/** The content lines of an observance, and what decides whether it may be removed. */
interface ObservanceLines {
  readonly text: string;
  readonly start: string;
  /** The last RDATE; empty without one. */
  readonly lastDate: string;
}

/**
 * Collects the lines of one VTIMEZONE while a body is read. If they are too long, the first observances are removed: the
 * last ones are assumed to apply to present events. All are removed if an RDATE is missing that may be later than these.
 */
export class ZoneLines {
  /** Lines of the zone itself, by property. */
  readonly #own = new Map<string, string>();
  #observance: Map<string, string> | undefined;
  readonly #observances: ObservanceLines[] = [];
  /** Bytes of the observances. */
  #length = 0;
  /** The last RDATE that is not kept; empty if all are. */
  #removedDate = "";

  beginObservance(): void {
    this.#observance = new Map();
  }

  /** Adds the content line `text` of a property: to the observance that has begun and not ended, or to the zone. */
  add(name: string, text: string): void {
    const lines = this.#observance ?? this.#own;
    const isKept = (this.#observance === undefined ? OF_ZONE : OF_OBSERVANCE).has(name);
    if (isKept && name === "RDATE") this.#addDates(lines, text);
    else if (isKept && !lines.has(name) && text.length <= MAX_LINE_LENGTH) lines.set(name, text.replaceAll("\r", ""));
  }

  /** Adds an RDATE, which may be repeated. */
  #addDates(lines: Map<string, string>, text: string): void {
    const [before, added] = [lines.get("RDATE"), text.replaceAll("\r", "")];
    const dates = before === undefined ? added : `${before}\n${added}`;
    if (dates.length <= MAX_DATES_LENGTH) lines.set("RDATE", dates);
    else this.#removedDate = AFTER_ALL_DATES;
  }

  /** Ends the observance that has begun. `name` is STANDARD or DAYLIGHT. */
  endObservance(name: string): void {
    if (this.#observance === undefined) return;
    const lines = this.#observance;
    const text = `\nBEGIN:${name}\n${[...lines.values()].join("\n")}\nEND:${name}`;
    this.#observance = undefined;
    this.#observances.push({ text, start: lastDateIn(lines.get("DTSTART")), lastDate: lastDateIn(lines.get("RDATE")) });
    this.#length += Buffer.byteLength(text);
    // Leaves room for the two lines of the zone, with at most three bytes for each character.
    while (this.#length > MAX_ZONE_LENGTH - 3 * 2 * MAX_LINE_LENGTH) this.#removeFirst();
  }

  #removeFirst(): void {
    const { text = "", lastDate = "" } = this.#observances.shift() ?? {};
    this.#length -= Buffer.byteLength(text);
    if (lastDate > this.#removedDate) this.#removedDate = lastDate;
  }

  /** The TZID, and the content lines, which a line feed separates. */
  end(): { readonly tzid: string; readonly text: string } {
    const line = this.#own.get("TZID") ?? "";
    const isKnown = this.#observances.some(({ start }) => start > this.#removedDate);
    const observances = isKnown ? this.#observances.map((observance) => observance.text) : [];
    const text = [...this.#own.values()].join("\n") + observances.join("");
    return { tzid: timeZoneId(line.slice(line.indexOf(":") + 1)), text: text.toWellFormed() };
  }
}

/** The last date with a time in a text, as it is written: such dates are in the order of their texts. */
function lastDateIn(text = ""): string {
  return (text.match(/[0-9]{8}T[0-9]{6}/g) ?? []).reduce((last, date) => (date > last ? date : last), "");
}
