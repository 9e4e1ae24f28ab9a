/**
 * A TZID in one form. That of a VTIMEZONE is a text, in which commas and semicolons are escaped (RFC 5545, section 3.3.11), and
 * the parameter with the same name is not: `(UTC+01:00) Amsterdam\, Berlin` is `"(UTC+01:00) Amsterdam, Berlin"` there.
 */
export function timeZoneId(text: string): string {
  return text.replaceAll(/\\([\\;,])/g, "$1").trim();
}
