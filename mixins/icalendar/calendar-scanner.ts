import { EventLines, type ScannedEvent, type UnreadableEvent } from "./event-lines.ts";
import type { ContentLine } from "./line-reader.ts";
import { ZoneLines } from "./zone-lines.ts";

/** The limits of a body. */
const SCAN_LIMITS = { events: 50_000, zones: 1_000, depth: 10 };

/** A body that is no iCalendar, or exceeds a limit. The message has no subject: "body" precedes it. */
export class InvalidCalendar extends Error {}

/** The parts of a body that an import needs. */
export interface ScannedCalendar {
  readonly events: readonly ScannedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  /** VTIMEZONEs by TZID: their content lines, which a line feed separates. */
  readonly zones: ReadonlyMap<string, string>;
  /** The value of REFRESH-INTERVAL (RFC 7986), or of X-PUBLISHED-TTL, which older programs write: a duration. */
  readonly refreshInterval?: string;
  /** Number of the properties and components that are not imported, by name. */
  readonly notImported: ReadonlyMap<string, number>;
}

/** Names that are shown; others are counted as `X-` or `other`, because a response repeats no text of its request. */
const SHOWN: ReadonlySet<string> = new Set(
  `VALARM VTODO VJOURNAL VFREEBUSY ATTACH ATTENDEE CATEGORIES CLASS COMMENT CONFERENCE CONTACT GEO ORGANIZER PRIORITY
  RELATED-TO REQUEST-STATUS RESOURCES COLOR NAME X-WR-CALNAME X-WR-CALDESC X-WR-TIMEZONE X-APPLE-CALENDAR-COLOR`.split(
    /\s+/,
  ),
);
/** Properties of a VEVENT that are neither imported nor reported, because they do not describe the event. */
const IGNORED: ReadonlySet<string> = new Set(["DTSTAMP", "CREATED", "LAST-MODIFIED", "TRANSP"]);
/** Properties of a calendar that describe only its file. */
const IGNORED_OF_CALENDAR: ReadonlySet<string> = new Set(
  "VERSION PRODID CALSCALE METHOD UID LAST-MODIFIED URL SOURCE".split(" "),
);
/** Properties of a calendar: how often its subscribers should read it. */
const REFRESH: ReadonlySet<string> = new Set(["REFRESH-INTERVAL", "X-PUBLISHED-TTL"]);
const MAX_REFRESH_LENGTH = 200;

/** Reads the components of a body, line by line; throws InvalidCalendar. */
export class CalendarScanner {
  readonly #stack: string[] = [];
  readonly #events: ScannedEvent[] = [];
  readonly #unreadable: UnreadableEvent[] = [];
  readonly #zones = new Map<string, string>();
  readonly #notImported = new Map<string, number>();
  #zoneCount = 0;
  #event: EventLines | undefined;
  #zone: ZoneLines | undefined;
  #hasCalendar = false;
  #refreshInterval: string | undefined;

  read(line: ContentLine): void {
    const text = this.#hasCalendar ? (line.text ?? "") : (line.text ?? "").replace(/^\uFEFF/, "");
    const name = /^[A-Za-z0-9-]{1,100}(?=[;:])/.exec(text)?.[0].toUpperCase() ?? "";
    if (name === "BEGIN") return this.#begin(componentName(text), line.number);
    if (!this.#hasCalendar) throw new InvalidCalendar("must begin with BEGIN:VCALENDAR (RFC 5545)");
    if (name === "END") return this.#end(componentName(text), line.number);
    this.#property(name, line);
  }

  end(): ScannedCalendar {
    if (!this.#hasCalendar) throw new InvalidCalendar("must begin with BEGIN:VCALENDAR (RFC 5545)");
    if (this.#stack.length > 0) throw new InvalidCalendar("must end with END:VCALENDAR: it is not complete");
    return {
      events: this.#events,
      unreadable: this.#unreadable,
      zones: this.#zones,
      ...(this.#refreshInterval === undefined ? {} : { refreshInterval: this.#refreshInterval }),
      notImported: this.#notImported,
    };
  }

  #begin(name: string, line: number): void {
    const depth = this.#stack.length;
    if (depth === 0 && name !== "VCALENDAR") throw new InvalidCalendar("must begin with BEGIN:VCALENDAR (RFC 5545)");
    if (depth >= SCAN_LIMITS.depth) {
      throw new InvalidCalendar(`must have at most ${SCAN_LIMITS.depth} levels of components: line ${line} has more`);
    }
    this.#hasCalendar = true;
    this.#stack.push(name);
    if (depth === 1 && name === "VEVENT") this.#event = this.#newEvent(line);
    else if (depth === 1 && name === "VTIMEZONE") this.#zone = new ZoneLines();
    else if (this.#isObservance(name)) this.#zone?.beginObservance();
    else if (depth >= 1 && this.#stack[1] !== "VTIMEZONE") this.#count(name);
  }

  #newEvent(line: number): EventLines {
    if (this.#events.length + this.#unreadable.length >= SCAN_LIMITS.events) {
      throw new InvalidCalendar(`must have at most ${SCAN_LIMITS.events} VEVENTs`);
    }
    return new EventLines(line);
  }

  #isObservance(name: string): boolean {
    return this.#stack.length === 3 && this.#stack[1] === "VTIMEZONE" && (name === "STANDARD" || name === "DAYLIGHT");
  }

  #end(name: string, line: number): void {
    if (this.#stack.at(-1) !== name)
      throw new InvalidCalendar(`must have an END for each BEGIN: line ${line} has none`);
    if (this.#isObservance(name)) this.#zone?.endObservance(name);
    this.#stack.pop();
    if (this.#stack.length !== 1) return;
    if (name === "VEVENT") this.#endEvent();
    if (name === "VTIMEZONE") this.#endZone();
  }

  #endEvent(): void {
    const event = this.#event?.end();
    this.#event = undefined;
    if (event === undefined) return;
    if ("reason" in event) this.#unreadable.push(event);
    else this.#events.push(event);
  }

  #endZone(): void {
    this.#zoneCount += 1;
    if (this.#zoneCount > SCAN_LIMITS.zones) {
      throw new InvalidCalendar(`must have at most ${SCAN_LIMITS.zones} VTIMEZONEs`);
    }
    const zone = this.#zone?.end();
    this.#zone = undefined;
    if (zone !== undefined && zone.tzid !== "" && !this.#zones.has(zone.tzid)) this.#zones.set(zone.tzid, zone.text);
  }

  #property(name: string, line: ContentLine): void {
    const depth = this.#stack.length;
    if (depth === 2 && this.#event !== undefined) {
      if (!this.#event.add(name, line) && !IGNORED.has(name)) this.#count(name);
      return;
    }
    if (depth === 1 && REFRESH.has(name)) this.#refresh(name, line.text ?? "");
    else if (depth === 1 && name !== "" && !IGNORED_OF_CALENDAR.has(name)) this.#count(name);
    if (depth <= 3 && line.text !== undefined) this.#zone?.add(name, line.text);
  }

  #refresh(name: string, text: string): void {
    if (this.#refreshInterval !== undefined && name !== "REFRESH-INTERVAL") return;
    this.#refreshInterval = text.slice(text.indexOf(":") + 1, MAX_REFRESH_LENGTH).trim();
  }

  #count(name: string): void {
    const shown = SHOWN.has(name) ? name : name.startsWith("X-") ? "X-" : "other";
    this.#notImported.set(shown, (this.#notImported.get(shown) ?? 0) + 1);
  }
}

function componentName(text: string): string {
  return text
    .slice(text.indexOf(":") + 1, 200)
    .trim()
    .toUpperCase();
}
