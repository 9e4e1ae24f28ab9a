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
  /** Names that are links, with the names of their zones. */
  readonly links: ReadonlyMap<string, string>;
  /** The rules of a zone; the name has the spelling of `names`. */
  rulesOf(name: string): ZoneRules | undefined;
  /**
   * A digest that differs if the clock of a zone differs at any time from 1970 to 2100, independent of the source.
   */
  digestOf(name: string): string | undefined;
}

/** A set that loads the rules of a zone at their first use and caches them. Names of one zone may share a loader. */
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
      // The rules are not cached: those of all zones take ten megabytes.
      const digest = digests.get(loader) ?? rulesDigest(loaded.get(name) ?? loader());
      digests.set(loader, digest);
      return digest;
    },
  };
}
