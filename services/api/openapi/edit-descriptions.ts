/** Descriptions of the fields of edited messages (D67). */
export const EDIT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  on_change:
    "What happens to the messages that were sent when their events change: nothing (KEEP, the default), or they are edited until the end of the event, and marked if it is cancelled (EDIT). KEEP for a DIGEST.",
  "Announcement.on_change": "EDIT if the messages that were sent are edited when their events change; absent for KEEP.",
  steps:
    "What happened to the message after it was sent, the oldest first; at most the latest ten. Only for an announcement with `on_change`.",
  "MessageStep.step":
    "The message was edited (EDITED) or marked as cancelled (CANCELLED); an edit failed (FAILED); somebody had deleted the message (GONE); it is not edited any more because the guild has too many such messages (DROPPED).",
  "MessageStep.at": "Time of the step, in Unix milliseconds (UTC).",
  "MessageStep.reason": "Why the edit failed, or why the message is not edited any more.",
};
