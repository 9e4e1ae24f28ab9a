import type { SettledPost, UpcomingPost } from "../../../contracts/dispatch.contract.ts";
import type { OPEN_STATES, Post } from "./post.ts";
import { reasonCode } from "./reason-code.ts";

type OpenPost = Post & { readonly state: (typeof OPEN_STATES)[number] };

function listedOf({ dueAt, announcementId, occurrenceId, startsAt, channel }: Post) {
  return { dueAt, announcementId, eventId: occurrenceId, startsAt, channel };
}

/** An open post, as other contexts see it: with what is known of its attempts (D44). */
function upcomingOf(post: OpenPost): UpcomingPost {
  const { state, attempts, doubtSince, owner, wakeAt, reason } = post;
  if (state === "planned" && attempts === 0) return { ...listedOf(post), state };
  return {
    ...listedOf(post),
    state,
    attempts,
    ...(doubtSince === undefined ? {} : { inDoubtSince: doubtSince }),
    ...(owner === undefined ? { nextTryAt: wakeAt } : { leaseUntil: wakeAt }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/**
 * The first open posts in their order, one for each announcement of an occurrence: of its sinks the one where it is
 * furthest from being settled.
 */
export function upcomingPosts(rows: readonly Post[], amount: number): UpcomingPost[] {
  const bySubject = new Map<string, OpenPost>();
  for (const row of rows) {
    if (!isOpenPost(row)) continue;
    const subject = `${row.announcementId}:${row.occurrenceId}`;
    const known = bySubject.get(subject);
    if (known === undefined || trouble(row) > trouble(known)) bySubject.set(subject, row);
  }
  return [...bySubject.values()].slice(0, amount).map(upcomingOf);
}

function isOpenPost(post: Post): post is OpenPost {
  return post.state === "planned" || post.state === "sending";
}

function trouble({ state, attempts }: OpenPost): number {
  return state === "sending" ? Infinity : attempts;
}

/** A settled post, as other contexts see it. */
export function settledOf(post: Post): SettledPost {
  const { state, settledAt = post.dueAt, lateMs, reason, messageId } = post;
  const code = reasonCode(post);
  return {
    ...listedOf(post),
    state,
    settledAt,
    ...(lateMs === undefined ? {} : { lateMs }),
    ...(reason === undefined ? {} : { reason }),
    ...(code === undefined ? {} : { reasonCode: code }),
    ...(messageId === undefined ? {} : { messageId }),
  };
}
