import type { Evidence } from "./evidence.ts";
import { badMessages, doubles } from "./message-rules.ts";
import { badDrains, badOutcomes, badWrites } from "./outcome-rules.ts";
import { unfair, unplanned, unseen } from "./plan-rules.ts";
import { badFailures, badHalts, badSkips, badSuspensions } from "./refusal-rules.ts";

/** All that the promise means, as it can be seen from outside. */
const RULES = [
  badWrites,
  doubles,
  badMessages,
  badOutcomes,
  badDrains,
  badFailures,
  badSuspensions,
  badSkips,
  badHalts,
  unplanned,
  unseen,
  unfair,
];

/** Everything that broke the promise, a sentence each. */
export function judge(evidence: Evidence): string[] {
  return [...evidence.record.violations, ...RULES.flatMap((rule) => rule(evidence))];
}
