import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { OccurrenceId } from "../../../contracts/ids.ts";
import { lateReason } from "../post/late-reason.ts";
import { isOpen, mayHaveBeenSent, type Post, postId, type PostKey, subjectKey } from "../post/post.ts";
import { type SinkName } from "../post/sink-name.ts";
import type { Outage } from "../post/wait.ts";
import type { FireTime } from "./fire-time.ts";
import { formerIds } from "./former-ids.ts";
import { hasPresentTimes, timesInKey } from "./offsets.ts";
import type { PlanInput } from "./plan-input.ts";
import { isReannounced } from "./reannounce.ts";
import type { Candidate } from "./select-soonest.ts";
import { skippedWhenDue } from "./skip-when-due.ts";

/** A post that an announcement and an occurrence require, or that is skipped for the reason in `time`. */
export interface DesiredPost extends PostKey {
  readonly channel: string;
  readonly time: FireTime;
  /** Why a due post will be skipped when it is due. */
  readonly skipReason?: string;
}

/** The key of a desired post or of a row, without the round. */
export function postKey(key: PostKey): string {
  return postId(key, 0);
}

/** Returns a function that gives the desired posts of a candidate, one for each sink. */
export function desiredPostsFor({
  existing,
  sinks,
  sinksEnabledSince = {},
  restore,
  guildPause = {},
}: PlanInput): (candidate: Candidate) => DesiredPost[] {
  const sent = sentPosts(existing);
  const lostReason = restoreReason(restore, existing);
  const refused = existing.filter(({ suspends }) => suspends !== undefined);

  function desiredPost({ announcement, occurrence, ruleOffset, time }: Candidate, sink: SinkName): DesiredPost {
    const { id: announcementId, channel } = announcement;
    const { occurrenceId } = occurrence;
    const post = { announcementId, occurrenceId, ...timesInKey(occurrence, ruleOffset), sink, channel, time };
    const sentOf = (id: OccurrenceId) => sent.get(subjectKey({ ...post, occurrenceId: id })) ?? [];
    const before = formerIds(occurrence).flatMap(sentOf);
    const isAnnounced =
      before.some((times) => hasPresentTimes(times, occurrence)) ||
      isReannounced(occurrence, announcement, ruleOffset, [...sentOf(occurrenceId), ...before]);
    const skipped = (reason: string): DesiredPost => ({
      ...post,
      time: { kind: "skipped", dueAt: time.dueAt, reason },
    });
    if (time.dueAt < (sinksEnabledSince[sink] ?? 0))
      return skipped(`the sink ${sink} was switched on after it was due`);
    if (isAnnounced) return skipped(ANNOUNCED_ALREADY);
    const reason = lostReason(post) ?? suspensionReason(announcement, sink, refused);
    if (reason !== undefined) return skipped(reason);
    const isDue = time.kind === "due";
    const skipReason = isDue
      ? skippedWhenDue(time.dueAt, { settings: guildPause, announcement, occurrence })
      : undefined;
    return { ...post, ...definedFields({ skipReason }) };
  }

  return (candidate) => sinks.map((sink) => desiredPost(candidate, sink));
}

const ANNOUNCED_ALREADY = "the event had been announced already";

/**
 * Returns a function that gives the reason why a post is not planned: it was due before a restore, and the restored plan
 * has no open row of it, so it may have been planned and sent after the moment of the backup.
 */
function restoreReason(
  restore: Outage | undefined,
  existing: readonly Post[],
): (post: DesiredPost) => string | undefined {
  if (restore === undefined) return () => undefined;
  const reason = lateReason([{ ...restore, ms: restore.until - restore.from }]);
  const open = new Set(existing.filter(isOpen).map(postKey));
  return (post) => (post.time.dueAt <= restore.until && !open.has(postKey(post)) ? reason : undefined);
}

/** A permanent refusal by the channel suspends the announcement until any field of the announcement is updated. */
function suspensionReason(
  { id, revision }: AnnouncementRule,
  sink: SinkName,
  refused: readonly Post[],
): string | undefined {
  const refusal = refused.find(
    (post) => post.suspends === revision && post.announcementId === id && post.sink === sink,
  );
  return refusal && `the announcement is suspended until it is updated: ${refusal.reason}`;
}

/** The posts that may have been sent, by `subjectKey`. */
function sentPosts(existing: readonly Post[]): Map<string, Post[]> {
  return Map.groupBy(existing.filter(mayHaveBeenSent), subjectKey);
}
