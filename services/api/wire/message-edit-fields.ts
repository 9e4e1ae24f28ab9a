import { MESSAGE_STEPS, type MessageStep, ON_CHANGE } from "../../contracts/posted-messages.ts";
import { asEnumValue, field } from "./request-fields.ts";
import { enumOf, EPOCH_MS, optional, responseFields, shown, shownObjects, STRING } from "./response-fields.ts";

/** Whether sent messages are edited, in a request (D67). */
export const onChangeField = field("on_change", asEnumValue);

/** The same in a response. */
export const shownOnChange = optional(shown("on_change", enumOf(ON_CHANGE)));

const stepFields = responseFields<MessageStep>({
  step: shown("step", enumOf(MESSAGE_STEPS)),
  at: shown("at", EPOCH_MS),
  reason: optional(shown("reason", STRING)),
});

/** A step of the message of a sent post. */
export const shownSteps = optional(shownObjects("steps", stepFields, "MessageStep"));
