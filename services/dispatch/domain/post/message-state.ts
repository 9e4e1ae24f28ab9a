import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs, OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { MessageStep } from "../../../contracts/posted-messages.ts";

/** The message of a post whose announcement edits its messages (D67). */
export interface MessageState {
  /** The id of the occurrence that it shows. The split of a series changes it (D51). */
  readonly occurrenceId: OccurrenceId;
  /** The start that it shows. */
  readonly startsAt: EpochMs;
  /** Later changes of the event do not edit it. */
  readonly until: EpochMs;
  /** The title of its embed, without the mark of a cancelled event. */
  readonly title: string;
  /** The fingerprint of the last message that was sent or edited with a response. */
  readonly shown: string;
  /** Set if the message may show something else: an attempt had no response, or its worker vanished. */
  readonly inDoubt?: true | undefined;
  /** The fingerprint of the owners' state that it shows. */
  readonly state: string;
  /** Number of edits that were recorded. */
  readonly edits: number;
  /** Number of failed attempts of the present step. */
  readonly failures?: number | undefined;
  /** Number of vanished workers of the post when the last step ended. */
  readonly crashes: number;
}

/** Largest number of messages of one guild that are edited at the same time. */
export const MAX_EDITED_MESSAGES = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Events have no longest duration, and the row stays in the ledger for as long as the message is edited. */
const MAX_EDITED_MS = 366 * DAY_MS;
/** A row has the latest steps only: a client may change an event without end. */
const MAX_STEPS = 10;

/** Whether the announcement edits its messages now. */
export function editsMessages({ enabled, onChange }: Pick<AnnouncementRule, "enabled" | "onChange">): boolean {
  return enabled && onChange === "EDIT";
}

/** The part of the state that follows from the occurrence. An event without length counts as one minute long (D30). */
export function shownOccurrence(
  { occurrenceId, startsAt, endsAt }: Pick<Occurrence, "occurrenceId" | "startsAt" | "endsAt">,
  now: EpochMs,
): Pick<MessageState, "occurrenceId" | "startsAt" | "until"> {
  return { occurrenceId, startsAt, until: Math.min(Math.max(startsAt + MINUTE_MS, endsAt), now + MAX_EDITED_MS) };
}

/** The steps with another one. */
export function withStep(steps: readonly MessageStep[] = [], step: MessageStep): readonly MessageStep[] {
  return [...steps, step].slice(-MAX_STEPS);
}
