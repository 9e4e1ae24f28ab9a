/** Descriptions of the fields of edited (D67) and deleted (D68) messages. */
export const EDIT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  on_change:
    "Whether sent messages follow the changes of their events: KEEP, the default, leaves them as they are; EDIT edits them until the end of the event, and marks them if it is cancelled. A DIGEST has KEEP.",
  "Announcement.on_change": "EDIT if sent messages are edited when their events change; absent for KEEP.",
  clean_up:
    "Minutes from the end of the event, as it is by then, until the messages of a sent post are deleted. By default they stay. A DIGEST has none.",
  "Announcement.clean_up":
    "Minutes from the end of the event until the messages of a sent post are deleted; absent if they stay.",
  steps:
    "The steps of the message after it was sent, the oldest first; at most the latest ten. Only an announcement with `on_change` or `clean_up` has them.",
  "MessageStep.step":
    "The message was edited (EDITED) or marked as cancelled (CANCELLED); an edit or its deletion failed (FAILED); somebody had deleted the message (GONE); it is neither edited nor deleted any more because the guild has too many such messages (DROPPED); it was deleted after the end of its event (DELETED).",
  "MessageStep.at": "Time of the step, in Unix milliseconds (UTC).",
  "MessageStep.reason": "Why the edit or the deletion failed, or why the message is not edited any more.",
};
