import { bundledZones } from "./bundled-zones.ts";
import type { TimeZoneSet } from "./time-zone-set.ts";

/**
 * The set that this process reads wall clocks by. It is chosen before the first service starts, and stays: it is a table, like
 * the one within Intl that it stands for.
 */
let current = indexNames(bundledZones());

interface IndexedSet {
  readonly set: TimeZoneSet;
  readonly inLowerCase: ReadonlyMap<string, string>;
  /** What was found for names of the set, in their own spelling: others are without number. */
  readonly found: Map<string, string | undefined>;
}

/** `Factory` is the database's word for a machine whose zone nobody has set. */
function indexNames(set: TimeZoneSet): IndexedSet {
  const names = set.names.filter((name) => name !== "Factory");
  return { set, inLowerCase: new Map(names.map((name) => [name.toLowerCase(), name])), found: new Map() };
}

export function timeZones(): TimeZoneSet {
  return current.set;
}

/** Makes a set the process's own. */
export function setTimeZones(set: TimeZoneSet): void {
  current = indexNames(set);
}

/**
 * The name under which a time zone is stored and shown, whose letters' case does not matter; undefined where there is no such
 * zone. Of several names of one zone it is the one that Intl takes, where Intl knows it: names stay when the rules change.
 * An offset such as `+02:00` is no zone.
 */
export function timeZoneName(name: string): string | undefined {
  const { found, inLowerCase } = current;
  if (found.has(name)) return found.get(name);
  const own = inLowerCase.get(name.toLowerCase());
  const byIntl = intlName(name)?.toLowerCase();
  const canonical = (byIntl === undefined ? undefined : inLowerCase.get(byIntl)) ?? own;
  if (own === name) found.set(name, canonical);
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
