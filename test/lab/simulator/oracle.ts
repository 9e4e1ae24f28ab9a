import { badDigests, unaccountedDigests } from "./digest-rules.ts";
import { earlyDeletions, remainingMessages, unorderedDeletions } from "./clean-up-rules.ts";
import { editsOfDeletedMessages, falseEdits, outdatedMessages } from "./edit-rules.ts";
import { repeatedOffsets, unaccountedOffsets } from "./due-rules.ts";
import type { Evidence } from "./evidence.ts";
import { badHolidaySkips, postedOnHolidays } from "./holiday-rules.ts";
import { badMessages, doubles } from "./message-rules.ts";
import { badDrains, badOutcomes, badWrites } from "./outcome-rules.ts";
import { badPauseSkips, postedAfterPauses } from "./pause-rules.ts";
import { unfair, unplanned, unreadChanges } from "./plan-rules.ts";
import { badFailures, claimsOfHaltedSinks, badSkips, badSuspensions } from "./refusal-rules.ts";

/** The promises, by rules that use only what is visible from outside. */
const RULES = [
  badWrites,
  doubles,
  badMessages,
  badOutcomes,
  badDrains,
  badFailures,
  badSuspensions,
  badSkips,
  badPauseSkips,
  postedAfterPauses,
  badHolidaySkips,
  postedOnHolidays,
  claimsOfHaltedSinks,
  unplanned,
  unaccountedOffsets,
  repeatedOffsets,
  badDigests,
  unaccountedDigests,
  outdatedMessages,
  falseEdits,
  editsOfDeletedMessages,
  earlyDeletions,
  remainingMessages,
  unorderedDeletions,
  unreadChanges,
  unfair,
];

/** Returns a sentence for each broken promise. */
export function judge(evidence: Evidence): string[] {
  return [...evidence.record.violations, ...RULES.flatMap((rule) => rule(evidence))];
}
