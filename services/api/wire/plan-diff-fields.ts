import { OFFSET_ANCHORS } from "../../contracts/announcement-offsets.ts";
import {
  type DraftedPost,
  type PlanDiff,
  POST_EFFECTS,
  type PostDifference,
} from "../../contracts/plan-diff.contract.ts";
import {
  BOOLEAN,
  enumOf,
  EPOCH_MS,
  INTEGER,
  listIn,
  optional,
  type ResponseField,
  responseFields,
  shown,
  shownObject,
  STRING,
} from "./response-fields.ts";

const draftedPost = {
  eventId: shown("event_id", STRING),
  startsAt: shown("epoch_start", EPOCH_MS),
  dueAt: shown("due", EPOCH_MS),
  anchor: optional(shown("anchor", enumOf(OFFSET_ANCHORS))),
  offsetMinutes: optional(shown("offset_minutes", INTEGER)),
  channel: shown("channel", STRING),
  text: shown("text", STRING),
};

const differenceFields = responseFields<PostDifference>({
  effect: shown("effect", enumOf(POST_EFFECTS)),
  announcementId: shown("announcement_id", STRING),
  ...draftedPost,
  reason: shown("reason", STRING),
  before: optional(shownObject("before", responseFields<DraftedPost>(draftedPost), "DraftedPost")),
});

/** The posts that changes would affect: the response of `/v2/plan/diff`, and of each write with `dry_run` (D58, D64). */
export const planDiffFields: readonly ResponseField<PlanDiff>[] = [
  ...responseFields<Omit<PlanDiff, "posts">>({
    appear: shown("appear", INTEGER),
    vanish: shown("vanish", INTEGER),
    move: shown("move", INTEGER),
    change: shown("change", INTEGER),
    more: shown("more", BOOLEAN),
    comparedUntil: shown("compared_until", EPOCH_MS),
  }),
  listIn("posts", differenceFields, "PostDifference", ({ posts }) => posts),
];
