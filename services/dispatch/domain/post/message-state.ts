import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs, OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { MessageStep } from "../../../contracts/posted-messages.ts";

/** The message of a post whose announcement edits (D67) or deletes (D68) its messages. */
export interface MessageState {
  /** The id of the occurrence that it shows. The split of a series changes it (D51). */
  readonly occurrenceId: OccurrenceId;
  /** The start that it shows. */
  readonly startsAt: EpochMs;
  /** The end that it shows. Absent in rows of before D68, whose end is `until`. */
  readonly endsAt?: EpochMs;
  /** Present if the messages of the post are deleted at this instant (D68). */
  readonly deleteAt?: EpochMs | undefined;
  /** Present once their deletion has begun: the number of deleted messages, from the last one on. */
  readonly deleted?: number | undefined;
  /** It is not followed after this instant, except for its deletion. */
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

/** Whether the messages of the announcement are compared with the present state. They are deleted while it is disabled, too. */
export function followsMessages(rule: Pick<AnnouncementRule, "enabled" | "onChange" | "cleanUp">): boolean {
  return rule.cleanUp !== undefined || editsMessages(rule);
}

/** The step that is due without a change: the deletion, or a comparison before it if it is far ahead. */
export function nextStep({ deleteAt, until }: Pick<MessageState, "deleteAt" | "until">): {
  readonly stepDue?: true;
  readonly wakeAt?: EpochMs;
} {
  return deleteAt === undefined ? {} : { stepDue: true, wakeAt: Math.min(deleteAt, until) };
}

/** The part of the state that follows from the occurrence. An event without length counts as one minute long (D30). */
export function shownOccurrence(
  { occurrenceId, startsAt, endsAt }: Pick<Occurrence, "occurrenceId" | "startsAt" | "endsAt">,
  now: EpochMs,
  cleanUp?: number,
): Pick<MessageState, "occurrenceId" | "startsAt" | "endsAt" | "until" | "deleteAt"> {
  const end = Math.max(startsAt + MINUTE_MS, endsAt);
  return { occurrenceId, startsAt, endsAt: end, ...followedUntil(end, cleanUp, now) };
}

/** The same of an occurrence that does not exist any more: its last end counts. */
export function shownFormerOccurrence(
  { endsAt, until }: Pick<MessageState, "endsAt" | "until">,
  now: EpochMs,
  cleanUp?: number,
): Pick<MessageState, "endsAt" | "until" | "deleteAt"> {
  const end = endsAt ?? until;
  return { endsAt: end, ...followedUntil(end, cleanUp, now) };
}

function followedUntil(
  end: EpochMs,
  cleanUp: number | undefined,
  now: EpochMs,
): Pick<MessageState, "until" | "deleteAt"> {
  const deleteAt = cleanUp === undefined ? undefined : end + cleanUp * MINUTE_MS;
  return { until: Math.min(deleteAt ?? end, now + MAX_EDITED_MS), deleteAt };
}

/** The steps with another one. */
export function withStep(steps: readonly MessageStep[] = [], step: MessageStep): readonly MessageStep[] {
  return [...steps, step].slice(-MAX_STEPS);
}
