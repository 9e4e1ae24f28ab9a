import type { Announcement } from "../../../services/contracts/announcements.contract.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { contentAt, type Evidence, stateAt } from "./evidence.ts";
import type { VisibleMessage } from "./simulated-receiver.ts";

/** The message of an event that does not exist any more. */
export const CANCELLED = "cancelled";
const MINUTE = 60_000;
/** Time from a read of the state until the message has its content: a lease, and a request that is frozen meanwhile. */
const EDITED_WITHIN_MS = 40_000;
/** Responses that say that a message was deleted: a worker that had one may have vanished before it wrote. */
const MAX_GONE_RESPONSES = 3;

/** The content of the messages of a run, in which every change of the event or the announcement's text can be seen. */
export function contentOf({
  announcement: { info },
  occurrence: { name, startsAt, endsAt },
}: {
  readonly announcement: Pick<Announcement, "info">;
  readonly occurrence: Pick<Occurrence, "name" | "startsAt" | "endsAt">;
}): string {
  return `${name ?? ""} ${startsAt} ${endsAt} ${info}`;
}

/** Checks that after a time without faults each message that is edited shows the present state, if nothing changed after the end of its event. */
export function outdatedMessages(evidence: Evidence): string[] {
  return editedMessages(evidence).flatMap(({ post, message }) => {
    if (message.goneAt !== undefined || !editsThroughout(evidence, post, message)) return [];
    const wasRefused = post.steps?.at(-1)?.step === "FAILED";
    if (wasRefused || endsWithinRun(evidence, post, message)) return [];
    if (post.message === undefined) return [`${post.id}: its message is not edited any more`];
    const expected = contentIn(evidence, post, evidence.now);
    const shown = message.contents.at(-1)?.content;
    return shown === expected ? [] : [`${post.id}: its message shows "${shown}" in place of "${expected}"`];
  });
}

/** Checks that each edit showed an event and an announcement that were current shortly before: two owners are read. */
export function falseEdits(evidence: Evidence): string[] {
  const { owners } = evidence;
  return editedMessages(evidence).flatMap(({ post, message }) =>
    message.contents.slice(1).flatMap(({ at, content }) => {
      const changes = [
        ...(owners.occurrences.get(post.occurrenceId) ?? []),
        ...(owners.announcements.get(post.announcementId) ?? []),
      ];
      const from = at - EDITED_WITHIN_MS;
      const instants = [from, ...changes.map(({ visibleAt }) => visibleAt).filter((each) => each > from && each <= at)];
      const isTrue = instants.some((one) =>
        instants.some((other) => contentIn(evidence, post, one, other) === content),
      );
      return isTrue ? [] : [`${post.id}: its message was edited to "${content}", which was no state of its event then`];
    }),
  );
}

/** Checks that a message that somebody deleted is not edited any more after the receiver has said so. */
export function editsOfDeletedMessages(evidence: Evidence): string[] {
  return editedMessages(evidence).flatMap(({ post, message: { goneSaidAt } }) =>
    goneSaidAt.length > MAX_GONE_RESPONSES ? [`${post.id}: its message was edited after it was deleted`] : [],
  );
}

/** The first messages of the sent posts of a run in which messages are edited. */
function editedMessages({ scenario, receiver, posts }: Evidence): { post: Post; message: VisibleMessage }[] {
  if (!scenario.messageEdits) return [];
  return receiver.visible.flatMap((message) => {
    const post = posts.get(message.postId);
    return post?.state !== "sent" || message.part > 0 ? [] : [{ post, message }];
  });
}

function contentIn({ owners }: Evidence, post: Post, at: number, announcementAt = at): string {
  const { announcement } = stateAt(owners, post, announcementAt);
  const { occurrence } = stateAt(owners, post, at);
  if (announcement === null) return "";
  return occurrence === null ? CANCELLED : contentOf({ announcement, occurrence });
}

/** Whether the announcement edited its messages all the time from shortly before the send. */
function editsThroughout({ owners }: Evidence, { announcementId }: Post, { sentAt }: VisibleMessage): boolean {
  const history = owners.announcements.get(announcementId) ?? [];
  const edits = (announcement: Announcement | null) =>
    announcement?.enabled === true && announcement.onChange === "EDIT";
  const from = sentAt - 2 * MINUTE;
  return (
    edits(contentAt(history, from) ?? history[0]?.content ?? null) &&
    history.every(({ visibleAt, content }) => visibleAt < from || edits(content))
  );
}

/** Whether a version of the event that was current after the send has its end before the end of the run. */
function endsWithinRun({ owners, now }: Evidence, { occurrenceId }: Post, { sentAt }: VisibleMessage): boolean {
  const history = owners.occurrences.get(occurrenceId) ?? [];
  const from = sentAt - 2 * MINUTE;
  const isShown = (at: number) => history.findLast(({ visibleAt }) => visibleAt <= from)?.visibleAt === at || at > from;
  return history.some(
    ({ visibleAt, content }) =>
      content !== null && isShown(visibleAt) && Math.max(content.startsAt + MINUTE, content.endsAt) <= now + MINUTE,
  );
}
