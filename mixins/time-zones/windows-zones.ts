import { findIana, WINDOWS_TO_IANA_MAP } from "windows-iana";

/** The IANA name for a name of Windows, such as `W. Europe Standard Time`, by the table of Unicode CLDR. */
export function windowsZoneName(name: string): string | undefined {
  return findIana(name)[0];
}

/** One IANA name for each zone of Windows: zones that differ in their present rules. */
export const ZONES_OF_WINDOWS: readonly string[] = [
  ...new Set(
    WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === "001").flatMap(({ iana }) => iana.slice(0, 1)),
  ),
];
