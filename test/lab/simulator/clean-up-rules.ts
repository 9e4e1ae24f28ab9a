import type { Announcement } from "../../../services/contracts/announcements.contract.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { contentAt, databaseTime, type Evidence, faultFreeFrom } from "./evidence.ts";
import type { VisibleMessage } from "./simulated-receiver.ts";

const MINUTE = 60_000;
/** Time from a read of the state until the message is deleted: a lease, and a request that is frozen meanwhile. */
const DELETED_WITHIN_MS = 40_000;
/** Maximum lag of a clock without a step of the database's clock. */
const CLOCK_LAG_MS = 50;
/** The longest pause between two attempts, and the attempts after it. */
const LATE_MS = 75_000;

/** Checks that no message is deleted unless its announcement says so shortly before, and not before the instant. */
export function earlyDeletions(evidence: Evidence): string[] {
  return cleanedMessages(evidence).flatMap(({ post, message: { removedAt } }) => {
    if (removedAt === undefined) return [];
    const from = removedAt - DELETED_WITHIN_MS;
    const instants = [from, ...changesOf(evidence, post).filter((at) => at > from && at <= removedAt)];
    const due = instants.flatMap((at) => deletionInstants(evidence, post, at));
    if (due.length === 0) return [`${post.id}: its message was deleted, though its announcement did not say so`];
    const early = Math.min(...due) - databaseTime(evidence, removedAt) - clockToleranceMs(evidence);
    return early > 0 ? [`${post.id}: its message was deleted ${early} ms early`] : [];
  });
}

/** Checks that each message whose announcement says so is deleted soon after its instant, if nothing is broken. */
export function remainingMessages(evidence: Evidence): string[] {
  return cleanedMessages(evidence).flatMap(({ post, message }) => {
    if (!cleansThroughout(evidence, post, message)) return [];
    const last = post.steps?.at(-1);
    if (last?.step === "GONE" || last?.step === "DROPPED") return [];
    if (last?.step === "FAILED") {
      return last.reason?.includes("Unknown Message") === true ? [`${post.id}: ${last.reason}`] : [];
    }
    const { broken, limited, loss } = evidence.scenario;
    const isSlow = broken > 0 || limited > 0 || loss > 0;
    const { goneAt = isSlow && post.stepDue === true ? evidence.now : Infinity } = message;
    const known = Math.max(message.at, ...changesOf(evidence, post));
    const due = Math.max(known, ...deletionInstants(evidence, post, evidence.now));
    const expected = faultFreeFrom(evidence, due, LATE_MS) + LATE_MS + clockToleranceMs(evidence);
    if (evidence.now < expected || goneAt < expected) return [];
    if (goneAt === Infinity) return [`${post.id}: its message was not deleted`];
    return isSlow ? [] : [`${post.id}: its message was deleted ${goneAt - due} ms late`];
  });
}

/** Checks that the first message of a post is deleted last. */
export function unorderedDeletions(evidence: Evidence): string[] {
  const messages = cleanedMessages(evidence);
  return messages.flatMap(({ post, message: { part, removedAt } }) => {
    if (removedAt === undefined) return [];
    const isBefore = ({ message: other }: (typeof messages)[number]) =>
      other.postId === post.id && other.part > part && (other.goneAt ?? Infinity) > removedAt;
    return messages.some(isBefore) ? [`${post.id}: its message ${part} was deleted before a later one`] : [];
  });
}

/** The messages of the sent posts of a run with clean-up. */
function cleanedMessages({ scenario, receiver, posts }: Evidence): { post: Post; message: VisibleMessage }[] {
  if (!scenario.cleanUps) return [];
  return receiver.visible.flatMap((message) => {
    const post = posts.get(message.postId);
    return post?.state === "sent" ? [{ post, message }] : [];
  });
}

/** The instants of changes to the post's announcement and event. */
function changesOf({ owners }: Evidence, { announcementId, occurrenceId }: Post): number[] {
  return [...(owners.announcements.get(announcementId) ?? []), ...(owners.occurrences.get(occurrenceId) ?? [])].map(
    ({ visibleAt }) => visibleAt,
  );
}

/** When the messages are to be deleted by the state at an instant; for a deleted event by each end that it had. None if they stay. */
function deletionInstants({ owners }: Evidence, { announcementId, occurrenceId }: Post, at: number): number[] {
  const cleanUp = contentAt(owners.announcements.get(announcementId) ?? [], at)?.cleanUp;
  if (cleanUp === undefined) return [];
  const history = owners.occurrences.get(occurrenceId) ?? [];
  const present = contentAt(history, at);
  const former = history.filter(({ visibleAt }) => visibleAt <= at).flatMap(({ content }) => content ?? []);
  const events = present === null ? former : [present];
  return events.map(({ startsAt, endsAt }) => Math.max(startsAt + MINUTE, endsAt) + cleanUp * MINUTE);
}

/** Whether the announcement said all the time from shortly before the send that its messages are deleted. */
function cleansThroughout({ owners }: Evidence, { announcementId }: Post, { sentAt }: VisibleMessage): boolean {
  const history = owners.announcements.get(announcementId) ?? [];
  const cleans = (announcement: Announcement | null) => announcement?.cleanUp !== undefined;
  const from = sentAt - 2 * MINUTE;
  return (
    cleans(contentAt(history, from) ?? history[0]?.content ?? null) &&
    history.every(({ visibleAt, content }) => visibleAt < from || cleans(content))
  );
}

/** By how much the clock of a process may differ from the database's. */
function clockToleranceMs({ scenario }: Evidence): number {
  return scenario.clockSteps.reduce((sum, { byMs }) => sum + Math.abs(byMs), CLOCK_LAG_MS);
}
