import { MESSAGE_STEPS, type MessageStep, ON_CHANGE } from "../../contracts/posted-messages.ts";
import { asEnumValue, asInteger, field } from "./request-fields.ts";
import { enumOf, EPOCH_MS, INTEGER, optional, responseFields, shown, shownObjects, STRING } from "./response-fields.ts";

/** Whether sent messages are edited, in a request (D67). */
export const onChangeField = field("on_change", asEnumValue);

/** The same in a response. */
export const shownOnChange = optional(shown("on_change", enumOf(ON_CHANGE)));

/** When the messages of a sent post are deleted, in a request (D68). */
export const cleanUpField = field("clean_up", asInteger);

/** The same in a response. */
export const shownCleanUp = optional(shown("clean_up", INTEGER));

const stepFields = responseFields<MessageStep>({
  step: shown("step", enumOf(MESSAGE_STEPS)),
  at: shown("at", EPOCH_MS),
  reason: optional(shown("reason", STRING)),
});

/** A step of the message of a sent post. */
export const shownSteps = optional(shownObjects("steps", stepFields, "MessageStep"));
