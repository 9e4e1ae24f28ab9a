import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { FireTime } from "./fire-time.ts";
import { leadMs } from "./fire-time.ts";
import type { GuildTruth } from "./plan-input.ts";
import { isAnnounced, type Post, postId, type PostKey, type SinkName, subjectOf } from "../post/post.ts";
import { isReannounced } from "./reannounce.ts";
import type { Candidate } from "./select-soonest.ts";

/** A post that the truth asks for. */
export interface Wish extends PostKey {
  readonly channel: string;
  readonly time: FireTime;
}

/** A wish's or a row's key, whatever its round. */
export function keyOf(key: PostKey): string {
  return postId(key, 0);
}

/** For each candidate what is asked for, a wish a sink. */
export function wishMaker({ existing, sinks, sinksOnSince = {} }: GuildTruth): (candidate: Candidate) => Wish[] {
  const announced = announcedStarts(existing);
  const refused = existing.filter(({ suspends }) => suspends !== undefined);

  function wishFor({ announcement, occurrence, time }: Candidate, sink: SinkName): Wish {
    const { id: announcementId, channel } = announcement;
    const { occurrenceId, startsAt } = occurrence;
    const wish = { announcementId, occurrenceId, startsAt, sink, channel, time };
    const isSecond = isReannounced(occurrence, leadMs(announcement), announced.get(subjectOf(wish)) ?? []);
    const isBefore = time.dueAt < (sinksOnSince[sink] ?? 0);
    const reason = isBefore
      ? `the sink ${sink} was switched on after it was due`
      : isSecond
        ? ANNOUNCED_ALREADY
        : whySuspended(announcement, sink, refused);
    return reason === undefined ? wish : { ...wish, time: { kind: "skipped", dueAt: time.dueAt, reason } };
  }

  return (candidate) => sinks.map((sink) => wishFor(candidate, sink));
}

const ANNOUNCED_ALREADY = "the event had been announced already";

/** After a channel refused for good, its announcement waits for an update: any, of whatever field. */
function whySuspended(
  { id, revision }: AnnouncementRule,
  sink: SinkName,
  refused: readonly Post[],
): string | undefined {
  const refusal = refused.find(
    (post) => post.suspends === revision && post.announcementId === id && post.sink === sink,
  );
  return refusal && `the announcement is suspended until it is updated: ${refusal.reason}`;
}

function announcedStarts(existing: readonly Post[]): Map<string, EpochMs[]> {
  const starts = new Map<string, EpochMs[]>();
  for (const post of existing) {
    if (!isAnnounced(post)) continue;
    const subject = subjectOf(post);
    starts.set(subject, [...(starts.get(subject) ?? []), post.startsAt]);
  }
  return starts;
}
