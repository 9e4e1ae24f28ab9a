import { rulesDigest } from "./rules-digest.ts";
import type { ZoneRules } from "./zone-rules.ts";

/** The rules of all time zones, from one release of the IANA time zone database. */
export interface TimeZoneSet {
  /** The release, such as `2026f`. */
  readonly version: string;
  /** Publication time, in epoch milliseconds. */
  readonly publishedAt: number;
  readonly source: "bundled" | "folder";
  /** All names, links included. */
  readonly names: readonly string[];
  /** Names that are links (other names of a zone), with the name of the zone. */
  readonly links: ReadonlyMap<string, string>;
  /** The rules of a zone; undefined for a name that is not in `names`, also if only upper and lower case differ. */
  rulesOf(name: string): ZoneRules | undefined;
  /**
   * A digest of the rules of a zone. Two sets have the same digest exactly if the zone's clock is the same from 1970 to 2100, also
   * if the sets come from different sources.
   */
  digestOf(name: string): string | undefined;
}

/**
 * A set that loads the rules of a zone at the first `rulesOf` and keeps them. The names of one zone have the same loader, so that its
 * digest is computed once.
 */
export function timeZoneSet(
  about: Pick<TimeZoneSet, "version" | "publishedAt" | "source">,
  loaders: ReadonlyMap<string, () => ZoneRules>,
  links: ReadonlyMap<string, string>,
): TimeZoneSet {
  const loaded = new Map<string, ZoneRules>();
  const digests = new Map<() => ZoneRules, string>();
  return {
    ...about,
    names: [...loaders.keys()],
    links,
    rulesOf(name) {
      const rules = loaded.get(name) ?? loaders.get(name)?.();
      if (rules !== undefined) loaded.set(name, rules);
      return rules;
    },
    digestOf(name) {
      const loader = loaders.get(name);
      if (loader === undefined) return undefined;
      // Rules that are loaded for a digest are not kept: those of all zones take ten megabytes.
      const digest = digests.get(loader) ?? rulesDigest(loaded.get(name) ?? loader());
      digests.set(loader, digest);
      return digest;
    },
  };
}
