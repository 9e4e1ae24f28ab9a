import { timeZoneName, timeZones } from "../../../../mixins/time-zones/time-zones.ts";
import { type ClockSpan, clockBetween, type ZoneRules } from "../../../../mixins/time-zones/zone-rules.ts";

/** The clock of a time zone. */
export interface Zone {
  /** IANA name. */
  readonly name: string;
  /** The clock around `at`, which is an instant or a wall time read as UTC. Holds for two days to either side. */
  spanAround(at: number): ClockSpan;
}

/** About 400 days. */
const SPAN_MS = 2 ** 35;
/** No wall clock is further from UTC than that, so a wall time and its instant share a span. */
const MARGIN_MS = 2 * 86_400_000;
/** Spans that are kept for a zone: more than a century. */
const MAX_SPANS = 120;

const NO_CHANGES: ClockSpan = { first: 0, changes: [] };

/** UTC, which never changes. */
export const UTC: Zone = { name: "UTC", spanAround: () => NO_CHANGES };

/** Those of the process's set; another set has zones of its own. */
let cache = { set: timeZones(), zones: new Map<string, Zone>() };

/**
 * The zone of an IANA name, whose letters' case doesn't matter; undefined when there is none. An offset such as
 * `+02:00` is no zone.
 */
export function zoneNamed(name: string): Zone | undefined {
  if (cache.set !== timeZones()) cache = { set: timeZones(), zones: new Map() };
  return cache.zones.get(name) ?? newZone(name);
}

function newZone(spelling: string): Zone | undefined {
  const name = timeZoneName(spelling);
  const rules = name === undefined ? undefined : timeZones().rulesOf(name);
  if (name === undefined || rules === undefined) return undefined;
  const zone = cache.zones.get(name) ?? (name === UTC.name ? UTC : zoneOf(name, rules));
  // Only the canonical name is kept: spellings are without number.
  cache.zones.set(name, zone);
  return zone;
}

function zoneOf(name: string, rules: ZoneRules): Zone {
  const spans = new Map<number, ClockSpan>();
  let last = { index: Number.NaN, span: NO_CHANGES };
  return {
    name,
    spanAround(at) {
      const index = Math.floor(at / SPAN_MS);
      if (index === last.index) return last.span;
      let span = spans.get(index);
      if (span === undefined) {
        if (spans.size >= MAX_SPANS) spans.clear();
        span = clockBetween(rules, index * SPAN_MS - MARGIN_MS, (index + 1) * SPAN_MS + MARGIN_MS);
        spans.set(index, span);
      }
      last = { index, span };
      return span;
    },
  };
}
