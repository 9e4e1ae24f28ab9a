import { createRequire } from "node:module";
import { parsePackedZone } from "./packed-zone.ts";
import { type TimeZoneSet, timeZoneSet } from "./time-zone-set.ts";
import type { ZoneRules } from "./zone-rules.ts";

/** The data file of the package moment-timezone; its code is not used. */
interface PackedData {
  readonly version: string;
  readonly zones: readonly string[];
  /** Each link as `zone|other name`. */
  readonly links: readonly string[];
}

/** Publication time of the release in the package. A test compares it with the changelog of the package. */
const PUBLISHED_AT = Date.UTC(2026, 9, 29);

/** The time zone set of this release of guildcal. */
export function bundledZones(): TimeZoneSet {
  const { version, zones, links } = createRequire(import.meta.url)(
    "moment-timezone/data/packed/latest.json",
  ) as PackedData;
  const targets = new Map(links.map((link) => [link.slice(link.indexOf("|") + 1), link.slice(0, link.indexOf("|"))]));
  const loaders = new Map<string, () => ZoneRules>();
  for (const zone of zones) loaders.set(zone.slice(0, zone.indexOf("|")), () => parsePackedZone(zone));
  for (const [name, target] of targets) {
    const loader = loaders.get(target);
    if (loader !== undefined) loaders.set(name, loader);
  }
  return timeZoneSet({ version, publishedAt: PUBLISHED_AT, source: "bundled" }, loaders, targets);
}
