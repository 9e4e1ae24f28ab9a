import type { EpochMs } from "../../../contracts/ids.ts";
import { instantToLocal, localToInstant, type WallMs } from "../calendar/local-to-instant.ts";
import { UTC, type Zone } from "../calendar/zone.ts";
import { contentLine } from "./content-line.ts";

/** 2024-05-06T12:00:00.000Z becomes 20240506T120000Z; milliseconds are omitted (RFC 5545, section 3.3.5). */
function utcStamp(at: EpochMs): string {
  return `${wallStamp(at)}Z`;
}

/** A wall time without its zone: 20240506T120000. */
export function wallStamp(wall: WallMs): string {
  return new Date(wall).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
}

/** The date of a wall time: 20240506 (RFC 5545, section 3.3.4). */
export function dateStamp(wall: WallMs): string {
  return wallStamp(wall).slice(0, 8);
}

/** A property that is one or more dates. */
export function dateLine(name: string, walls: readonly WallMs[]): string {
  return contentLine(`${name};VALUE=DATE`, walls.map(dateStamp).join(","));
}

/** A property that is an instant. */
export function utcLine(name: string, at: EpochMs): string {
  return contentLine(name, utcStamp(at));
}

/** A property that is one or more wall times in a zone. */
export function wallLine(name: string, walls: readonly WallMs[], zone: Zone): string {
  if (zone === UTC) return contentLine(name, walls.map(utcStamp).join(","));
  return contentLine(`${name};TZID=${zone.name}`, walls.map(wallStamp).join(","));
}

/** A property that is an instant, as a wall time of the zone; in UTC if that wall time means another instant. */
export function instantLine(name: string, at: EpochMs, zone: Zone): string {
  const wall = instantToLocal(at, zone);
  return localToInstant(wall, zone) === at ? wallLine(name, [wall], zone) : utcLine(name, at);
}
