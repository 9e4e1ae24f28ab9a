import { MAX_ZONE_LENGTH } from "../../services/contracts/event-import.contract.ts";
import { timeZoneId } from "./time-zone-id.ts";

/** The properties that are kept, of a zone and of an observance: a STANDARD or DAYLIGHT component (RFC 5545, 3.6.5). */
const OF_ZONE: ReadonlySet<string> = new Set(["TZID", "X-LIC-LOCATION"]);
const OF_OBSERVANCE: ReadonlySet<string> = new Set(["DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE"]);
/** Largest number of characters of a line that is kept. */
const MAX_LINE_LENGTH = 300;

/**
 * Collects the lines of one VTIMEZONE while a body is read. If they are too long, the first observances are removed: the
 * last ones are assumed to apply to present events.
 */
export class ZoneLines {
  /** Lines of the zone itself, by property. */
  readonly #own = new Map<string, string>();
  #observance: Map<string, string> | undefined;
  readonly #observances: string[] = [];
  /** Bytes of the observances. */
  #length = 0;

  beginObservance(): void {
    this.#observance = new Map();
  }

  /** Adds the content line `text` of a property: to the observance that has begun and not ended, or to the zone. */
  add(name: string, text: string): void {
    const lines = this.#observance ?? this.#own;
    const isKept = (this.#observance === undefined ? OF_ZONE : OF_OBSERVANCE).has(name);
    if (isKept && !lines.has(name) && text.length <= MAX_LINE_LENGTH) lines.set(name, text.replaceAll("\r", ""));
  }

  /** Ends the observance that has begun. `name` is STANDARD or DAYLIGHT. */
  endObservance(name: string): void {
    if (this.#observance === undefined) return;
    const text = `\nBEGIN:${name}\n${[...this.#observance.values()].join("\n")}\nEND:${name}`;
    this.#observance = undefined;
    this.#observances.push(text);
    this.#length += Buffer.byteLength(text);
    // Leaves room for the two lines of the zone, with at most three bytes for each character.
    while (this.#length > MAX_ZONE_LENGTH - 3 * 2 * MAX_LINE_LENGTH) {
      this.#length -= Buffer.byteLength(this.#observances.shift() ?? "");
    }
  }

  /** The TZID, and the content lines, which a line feed separates. */
  end(): { readonly tzid: string; readonly text: string } {
    const line = this.#own.get("TZID") ?? "";
    const text = [...this.#own.values()].join("\n") + this.#observances.join("");
    return { tzid: timeZoneId(line.slice(line.indexOf(":") + 1)), text: text.toWellFormed() };
  }
}
