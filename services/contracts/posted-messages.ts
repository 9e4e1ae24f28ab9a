import { oneOf } from "./field-rules.ts";
import type { EpochMs } from "./ids.ts";

/** Whether the message of a sent post follows the changes of its event (D67). */
export const ON_CHANGE = ["KEEP", "EDIT"] as const;
export type OnChange = (typeof ON_CHANGE)[number];

export interface MessageEditing {
  /** KEEP if absent. An announcement has EDIT or none. */
  readonly onChange?: OnChange;
}

/** The rule of the field `onChange`. */
export const onChangeRule = oneOf(ON_CHANGE);

/** The stored form: an announcement that keeps its messages has no `onChange`. */
export function storedOnChange(onChange: OnChange | undefined): MessageEditing {
  return onChange === "EDIT" ? { onChange } : {};
}

/**
 * The kinds of steps of the message of a sent post (D67).
 *
 * - `EDITED`: it shows the event as it was at that time.
 * - `CANCELLED`: it was marked as cancelled.
 * - `FAILED`: an edit was given up; a later change is tried again.
 * - `GONE`: the receiver no longer had it. It is never edited or sent again.
 * - `DROPPED`: it is not edited any more, because the guild has too many edited messages.
 */
export const MESSAGE_STEPS = ["EDITED", "CANCELLED", "FAILED", "GONE", "DROPPED"] as const;

export interface MessageStep {
  readonly step: (typeof MESSAGE_STEPS)[number];
  /** By the clock of the database server. */
  readonly at: EpochMs;
  readonly reason?: string;
}

export interface SteppedMessage {
  /** The steps of the message after it was sent, the oldest first; at most the latest ten (D67). */
  readonly steps?: readonly MessageStep[];
}
