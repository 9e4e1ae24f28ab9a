import { bundledZones } from "./bundled-zones.ts";
import type { TimeZoneSet } from "./time-zone-set.ts";

/**
 * The time zone set of this process. It is chosen before the first service starts and then stays. It is global
 * because it replaces the table of Intl, which is global too.
 */
let current = indexNames(bundledZones());

interface IndexedSet {
  readonly set: TimeZoneSet;
  readonly inLowerCase: ReadonlyMap<string, string>;
  /** Canonical names by the names of the set. Other spellings are not cached: their number is unlimited. */
  readonly canonicalNames: Map<string, string | undefined>;
}

/** `Factory` is the name in the database for a machine without a configured zone. */
function indexNames(set: TimeZoneSet): IndexedSet {
  const names = set.names.filter((name) => name !== "Factory");
  return { set, inLowerCase: new Map(names.map((name) => [name.toLowerCase(), name])), canonicalNames: new Map() };
}

export function timeZones(): TimeZoneSet {
  return current.set;
}

/** Sets the time zone set of the process. */
export function setTimeZones(set: TimeZoneSet): void {
  current = indexNames(set);
}

/**
 * The name under which a time zone is stored and shown; undefined for an unknown zone. The case of the letters does not
 * matter. If Intl knows the zone, the name is the one that Intl uses among all names of the zone, so stored names do not
 * change with the rules. An offset such as `+02:00` is not a zone.
 */
export function timeZoneName(name: string): string | undefined {
  const { canonicalNames, inLowerCase } = current;
  if (canonicalNames.has(name)) return canonicalNames.get(name);
  const own = inLowerCase.get(name.toLowerCase());
  const fromIntl = intlName(name)?.toLowerCase();
  const canonical = (fromIntl === undefined ? undefined : inLowerCase.get(fromIntl)) ?? own;
  if (own === name) canonicalNames.set(name, canonical);
  return canonical;
}

function intlName(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
