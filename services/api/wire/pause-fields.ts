import { timeField } from "./request-fields.ts";
import { EPOCH_MS, optional, shown } from "./response-fields.ts";

/** The end of a pause in a request (D62); null ends the pause. */
export const pauseField = timeField("paused_until");

/** The same in a response. */
export const shownPause = optional(shown("paused_until", EPOCH_MS));
