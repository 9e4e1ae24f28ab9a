import { deriveYearlyChanges } from "./yearly-changes.ts";
import { type OffsetChange, withoutNoOpChanges, type ZoneRules } from "./zone-rules.ts";

const MINUTE_MS = 60_000;

/**
 * Parses a zone in the packed format of moment-timezone: `name|abbreviations|offsets|indices of
 * offsets|times|population`. Offsets are minutes behind UTC, times are the minutes from each change to the next; all
 * numbers are in base 60.
 */
export function parsePackedZone(packed: string): ZoneRules {
  const [, , offsetTexts = "", which = "", times = ""] = packed.split("|");
  const offsets = offsetTexts.split(" ").map((text) => -Math.round(unpack(text) * MINUTE_MS) || 0);
  const offsetAt = (place: number) => offsets[unpack(which.charAt(place))] ?? 0;
  const changes: OffsetChange[] = [];
  let at = 0;
  for (const [place, text] of times.split(" ").filter(Boolean).entries()) {
    at = Math.round(at + unpack(text) * MINUTE_MS);
    changes.push({ at, offset: offsetAt(place + 1) });
  }
  const rules = withoutNoOpChanges({ first: offsetAt(0), changes, yearly: [] });
  return { ...rules, yearly: deriveYearlyChanges(rules) };
}

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX";

function unpack(text: string): number {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  let value = 0;
  for (const digit of whole) value = value * 60 + DIGITS.indexOf(digit);
  for (let place = 0; place < fraction.length; place += 1) {
    value += DIGITS.indexOf(fraction.charAt(place)) / 60 ** (place + 1);
  }
  return text.startsWith("-") ? -value : value;
}
