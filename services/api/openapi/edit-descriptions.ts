/** Descriptions of the fields of edited messages (D67). */
export const EDIT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  on_change:
    "Whether sent messages follow the changes of their events: KEEP, the default, leaves them as they are; EDIT edits them until the end of the event, and marks them if it is cancelled. A DIGEST has KEEP.",
  "Announcement.on_change": "EDIT if sent messages are edited when their events change; absent for KEEP.",
  steps:
    "The steps of the message after it was sent, the oldest first; at most the latest ten. Only an announcement with `on_change` has them.",
  "MessageStep.step":
    "The message was edited (EDITED) or marked as cancelled (CANCELLED); an edit failed (FAILED); somebody had deleted the message (GONE); it is not edited any more because the guild has too many such messages (DROPPED).",
  "MessageStep.at": "Time of the step, in Unix milliseconds (UTC).",
  "MessageStep.reason": "Why the edit failed, or why the message is not edited any more.",
};
