const CHANGES =
  "Changes that are made one after the other, in memory: at most 50. Each has an `action` and the fields of the endpoint that makes the same write.";

const TEXT = "The texts of the post's messages without layout, at most 500 characters.";

/** Descriptions of the fields of `/v2/plan`, by the names of their schemas. */
export const PLAN_DESCRIPTIONS: Readonly<Record<string, string>> = {
  dry_run:
    "With true the request is checked and nothing is stored: the response is that of `/v2/plan/diff` for this one change (D64).",
  "V2PlanDiffRequest.changes": CHANGES,
  "V2PlanDiffRequest.limit": "Largest number of posts in the response.",
  "V2PlanPreviewRequest.changes": CHANGES,
  "V2PlanPreviewRequest.id":
    "Id of the announcement. When absent, the announcement that the last change of an announcement creates or updates.",
  "V2PlanPreviewRequest.event_id":
    "Id of an event, or of an occurrence, for which the messages are rendered. When absent, the next events that the announcement covers.",
  "V2PlanPreviewRequest.limit": "Largest number of events for which messages are rendered.",
  "DraftChange.action": "The kind of the change. It decides which of the other fields the change takes.",
  "DraftChange.id": "Id of the announcement, also of one that an earlier change creates.",
  "DraftChange.event_id":
    "Id of the event, series or occurrence, also of one that an earlier change creates. For a new announcement, the event that it refers to.",
  "DraftChange.name": "Name of the event, or of the calendar.",
  "DraftChange.announcements":
    "`delete` also deletes the announcements of the types SPECIFIC and RECUR that refer to the event or an occurrence of it.",
  appear: "Number of posts that are planned only after the changes.",
  vanish: "Number of posts that are planned only before the changes.",
  move: "Number of posts that are due at another time, or whose event starts at another time.",
  change:
    "Number of posts that have another message, channel or end of the event. Of posts that the response does not have, also those whose message turns out the same are counted.",
  "PlanDiff.more": "Whether more posts differ than the response has.",
  compared_until:
    "Posts that are due before this instant were compared, in Unix milliseconds (UTC): 366 days ahead, or fewer if the guild has too many.",
  "PlanDiff.posts": "The posts that differ, the soonest first.",
  effect: "The effect of the changes on the post.",
  "PostDifference.text": TEXT,
  "DraftedPost.text": TEXT,
  "PostDifference.reason": "Why the post differs, in words.",
  "PostDifference.before": "The post as it is without the changes. Present if it moves or changes.",
  previews: "The messages for each event, the next one first.",
};
