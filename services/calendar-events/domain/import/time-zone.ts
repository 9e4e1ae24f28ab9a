import { windowsZoneName, ZONES_OF_WINDOWS } from "../../../../mixins/time-zones/windows-zones.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { instantToLocal } from "../calendar/local-to-instant.ts";
import { type Zone, ianaZone } from "../calendar/zone.ts";
import { offsetAt, onsetsAround, type TimeZoneComponent } from "./observances.ts";

/** The zone of a TZID, and whether it was found only by the rules of the VTIMEZONE. */
export interface FoundZone {
  readonly zone: Zone;
  readonly isByRules: boolean;
}

/** Longest TZID that is looked up. */
const MAX_TZID_LENGTH = 200;

/**
 * The IANA zone of a TZID: by its name, also with a prefix such as `/mozilla.org/20050126_1/`; by the Windows name in the
 * table of Unicode CLDR; by the location of the VTIMEZONE; or a zone with the same offsets as the VTIMEZONE around an instant.
 */
export function findZone(tzid: string, component: TimeZoneComponent | undefined, at: EpochMs): FoundZone | undefined {
  const zone = zoneByName(tzid) ?? zoneByName(component?.location ?? "");
  if (zone !== undefined) return { zone, isByRules: false };
  const similar = component === undefined ? undefined : zoneByRules(component, at);
  return similar === undefined ? undefined : { zone: similar, isByRules: true };
}

function zoneByName(name: string): Zone | undefined {
  if (name === "" || name.length > MAX_TZID_LENGTH) return undefined;
  const parts = name.split("/");
  const names = [name, parts.slice(-3).join("/"), parts.slice(-2).join("/"), windowsZoneName(name)];
  for (const each of names) {
    const zone = each === undefined || !/^[A-Za-z]/.test(each) ? undefined : ianaZone(each);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

const HOUR_MS = 3_600_000;
const HALF_DAY_MS = 12 * HOUR_MS;

/** A zone with the same offsets in the year of an instant, twelve hours before and after each change included. */
function zoneByRules({ observances }: TimeZoneComponent, at: EpochMs): Zone | undefined {
  const year = new Date(at).getUTCFullYear();
  const onsets = onsetsAround(observances, year);
  if (onsets.length === 0) return undefined;
  const months = Array.from({ length: 12 }, (_, month) => Date.UTC(year, month, 15));
  const changes = onsets.flatMap((onset) =>
    onset.at >= Date.UTC(year, 0, 1) ? [onset.at - HALF_DAY_MS, onset.at + HALF_DAY_MS] : [],
  );
  const expected = [...months, ...changes].map((instant) => ({ instant, offset: offsetAt(onsets, instant) }));
  for (const name of [fixedZoneName(offsetAt(onsets, at) ?? 0), ...ZONES_OF_WINDOWS]) {
    const zone = name === undefined ? undefined : ianaZone(name);
    if (zone !== undefined && hasOffsets(zone, expected)) return zone;
  }
  return undefined;
}

interface OffsetAt {
  readonly instant: EpochMs;
  readonly offset: number | undefined;
}

function hasOffsets(zone: Zone, expected: readonly OffsetAt[]): boolean {
  return expected.every(({ instant, offset }) => instantToLocal(instant, zone) - instant === offset);
}

/** The zone with this offset all year: `Etc/GMT-2` is two hours ahead of UTC. */
function fixedZoneName(offset: number): string | undefined {
  if (offset === 0) return "UTC";
  const hours = -offset / HOUR_MS;
  return Number.isInteger(hours) && Math.abs(hours) <= 12 ? `Etc/GMT${hours > 0 ? "+" : ""}${hours}` : undefined;
}
