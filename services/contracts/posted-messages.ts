import { integer, oneOf } from "./field-rules.ts";
import type { EpochMs } from "./ids.ts";

/** Whether the message of a sent post follows the changes of its event (D67). */
export const ON_CHANGE = ["KEEP", "EDIT"] as const;
export type OnChange = (typeof ON_CHANGE)[number];

export interface MessageEditing {
  /** KEEP if absent. An announcement has EDIT or none. */
  readonly onChange?: OnChange;
  /** Minutes from the end of the occurrence until the messages of a sent post are deleted (D68); absent if they stay. */
  readonly cleanUp?: number;
}

/** Seven days. */
const MAX_CLEAN_UP = 10_080;
/** The rule of the field `cleanUp`. */
export const cleanUpRule = integer(0, MAX_CLEAN_UP);

/** The rule of the field `onChange`. */
export const onChangeRule = oneOf(ON_CHANGE);

/** The stored form: an announcement that keeps its messages has no `onChange`. */
export function storedOnChange(onChange: OnChange | undefined): Pick<MessageEditing, "onChange"> {
  return onChange === "EDIT" ? { onChange } : {};
}

/**
 * The kinds of steps of the message of a sent post (D67, D68).
 *
 * - `EDITED`: it shows the event as it was at that time.
 * - `CANCELLED`: it was marked as cancelled.
 * - `FAILED`: an edit was given up, and a later change is tried again; or its deletion was given up, and it stays.
 * - `GONE`: the receiver no longer had it. It is never edited or sent again.
 * - `DROPPED`: it is neither edited nor deleted any more, because the guild has too many such messages.
 * - `DELETED`: it was deleted after the end of its event, with the other messages of its post.
 */
export const MESSAGE_STEPS = ["EDITED", "CANCELLED", "FAILED", "GONE", "DROPPED", "DELETED"] as const;

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
