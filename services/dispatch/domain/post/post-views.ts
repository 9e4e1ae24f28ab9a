import { complete } from "../../../../mixins/objects/complete.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { SettledPost, UpcomingPost } from "../../../contracts/dispatch.contract.ts";
import { offsetInId, type OPEN_STATES, type Post } from "./post.ts";
import { foreseenSkip, reasonCode } from "./reason-code.ts";

type OpenPost = Post & { readonly state: (typeof OPEN_STATES)[number] };

/** The fields that every view of a post has. */
export function commonFields({ dueAt, announcementId, occurrenceId, startsAt, offset, channel }: Post) {
  const ofOffset = offset === undefined ? {} : { anchor: offset.anchor, offsetMinutes: offset.minutes };
  return { dueAt, announcementId, eventId: occurrenceId, startsAt, ...ofOffset, channel };
}

/** An open post as other contexts see it, with the state of its attempts (D44). */
function toUpcomingPost(post: OpenPost): UpcomingPost {
  const { state, attempts, doubtSince, owner, wakeAt, reason } = post;
  const skip = state === "planned" ? foreseenSkip(post.skipReason) : {};
  if (state === "planned" && attempts === 0) return { ...commonFields(post), state, ...skip };
  return complete<Omit<UpcomingPost, "problem" | "computed">>()({
    ...commonFields(post),
    state,
    attempts,
    ...skip,
    ...definedFields({
      inDoubtSince: doubtSince,
      leaseUntil: owner === undefined ? undefined : wakeAt,
      nextTryAt: owner === undefined ? wakeAt : undefined,
      reason,
    }),
  });
}

/** A post that is not stored yet, as other contexts see it (D57). */
export function toComputedPost(post: Post): UpcomingPost {
  return { ...commonFields(post), state: "planned", computed: true, ...foreseenSkip(post.skipReason) };
}

/**
 * The first open posts in their order, one for each announcement of an occurrence by each offset. Of the rows of a post for
 * several sinks, the row that is furthest from its outcome is shown.
 */
export function upcomingPosts(rows: readonly Post[], amount: number): UpcomingPost[] {
  const bySubject = new Map<string, OpenPost>();
  for (const row of rows) {
    if (!isOpenPost(row)) continue;
    const subject = `${row.announcementId}:${row.occurrenceId}${offsetInId(row)}`;
    const known = bySubject.get(subject);
    if (known === undefined || unsettledness(row) > unsettledness(known)) bySubject.set(subject, row);
  }
  return [...bySubject.values()].slice(0, amount).map(toUpcomingPost);
}

function isOpenPost(post: Post): post is OpenPost {
  return post.state === "planned" || post.state === "sending";
}

/** Larger for a post that is further from its outcome. */
function unsettledness({ state, attempts }: OpenPost): number {
  return state === "sending" ? Infinity : attempts;
}

/** A settled post as other contexts see it. */
export function toSettledPost(post: Post): SettledPost {
  const { state, claimedAt, settledAt = post.dueAt, lateMs, reason, messageId, steps } = post;
  return complete<SettledPost>()({
    ...commonFields(post),
    state,
    settledAt,
    ...definedFields({ claimedAt, lateMs, reason, reasonCode: reasonCode(post), messageId, steps }),
  });
}
