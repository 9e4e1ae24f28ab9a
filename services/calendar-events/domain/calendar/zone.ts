import { timeZoneName, timeZones } from "../../../../mixins/time-zones/time-zones.ts";
import { type ClockSpan, clockBetween, type ZoneRules } from "../../../../mixins/time-zones/zone-rules.ts";

/** The clock of a time zone. */
export interface Zone {
  /** IANA name. */
  readonly name: string;
  /** The clock around `at`, an instant or a wall time read as UTC. Valid for two days to either side. */
  spanAround(at: number): ClockSpan;
}

/** Length of a cached span: about 400 days. */
const SPAN_MS = 2 ** 35;
/** Overlap of the spans, so that a wall time and its instant share a span: no wall clock differs from UTC by more. */
const MARGIN_MS = 2 * 86_400_000;
/** Number of cached spans of a zone: more than a century. */
const MAX_SPANS = 120;

const NO_CHANGES: ClockSpan = { first: 0, changes: [] };

/** UTC, whose clock never changes. */
export const UTC: Zone = { name: "UTC", spanAround: () => NO_CHANGES };

/** The zones of the process's time zone set; another set has other zones. */
let cache = { set: timeZones(), zones: new Map<string, Zone>() };

/** The zone of an IANA name in any case; undefined for an unknown name. An offset such as `+02:00` is not a zone. */
export function ianaZone(name: string): Zone | undefined {
  if (cache.set !== timeZones()) cache = { set: timeZones(), zones: new Map() };
  return cache.zones.get(name) ?? newZone(name);
}

function newZone(spelling: string): Zone | undefined {
  const name = timeZoneName(spelling);
  const rules = name === undefined ? undefined : timeZones().rulesOf(name);
  if (name === undefined || rules === undefined) return undefined;
  const zone = cache.zones.get(name) ?? (name === UTC.name ? UTC : zoneOf(name, rules));
  // Only the canonical name is cached: the number of spellings is unlimited.
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
