import { createHash } from "node:crypto";
import { clockBetween, type ZoneRules } from "./zone-rules.ts";

const [FROM, UNTIL] = [Date.UTC(1970, 0, 1), Date.UTC(2100, 0, 1)];

/** A digest of the clock of a zone from 1970 to 2100. */
export function rulesDigest(rules: ZoneRules): string {
  const clock = JSON.stringify(clockBetween(rules, FROM, UNTIL));
  return createHash("sha256").update(clock).digest("base64url").slice(0, 12);
}
