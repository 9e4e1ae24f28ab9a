import { rulesDigest } from "./rules-digest.ts";
import type { ZoneRules } from "./zone-rules.ts";

/** The rules of all time zones, as one release of the IANA time zone database has them. */
export interface TimeZoneSet {
  /** The release, such as `2026f`. */
  readonly version: string;
  /** When the set came out, in epoch milliseconds. */
  readonly publishedAt: number;
  readonly source: "bundled" | "folder";
  /** All names, links included. */
  readonly names: readonly string[];
  /** Names that stand for another one, with that one. */
  readonly links: ReadonlyMap<string, string>;
  /** The rules of a zone by its name, letters as in `names`. */
  rulesOf(name: string): ZoneRules | undefined;
  /** A word that differs where a zone's clock differs at any time from 1970 to 2100, wherever its rules are from. */
  digestOf(name: string): string | undefined;
}

/** A set whose rules are made when they are first read, and kept. */
export function timeZoneSet(
  about: Pick<TimeZoneSet, "version" | "publishedAt" | "source">,
  loaders: ReadonlyMap<string, () => ZoneRules>,
  links: ReadonlyMap<string, string>,
): TimeZoneSet {
  const loaded = new Map<string, ZoneRules>();
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
      // Not kept: the rules of all zones take ten megabytes.
      const rules = loaded.get(name) ?? loaders.get(name)?.();
      return rules === undefined ? undefined : rulesDigest(rules);
    },
  };
}
