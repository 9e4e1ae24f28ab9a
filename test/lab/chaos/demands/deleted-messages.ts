import type { SettledPost } from "../../../../services/contracts/dispatch.contract.ts";
import type { PostedMessage } from "../../../harness/chat-server/channels.ts";
import type { EventState, RecordedAnnouncement, RecordedEvent } from "./records.ts";

/** A message that a row has sent, with what was acknowledged about its post. */
export interface SentMessage {
  readonly row: SettledPost;
  readonly message: PostedMessage;
  readonly announcement: RecordedAnnouncement;
  readonly event: RecordedEvent | undefined;
}

/** A shorter event counts as one minute long (D30). */
const MIN_EVENT_MS = 60_000;
const MINUTE_MS = 60_000;
/** Maximum time from the acknowledgement of a change until a deletion follows it: it reads the state after its claim. */
const FOLLOWED_MS = 1_500;

/** Whether the bot has deleted the message before an instant that its event allowed when it did (D68). */
export function wasDeletedEarly({ message: { deletedAt = Infinity }, announcement, event }: SentMessage): boolean {
  if (announcement.cleanUp === undefined || event === undefined) return false;
  const { versions } = event;
  const instants = versions.flatMap(({ state, sentAt }, at) => {
    const next = versions[at + 1];
    // An event that is deleted keeps its end.
    const followedAt = next === undefined || next.state === null ? Infinity : next.ackedAt + FOLLOWED_MS;
    const holds = sentAt <= deletedAt && deletedAt < followedAt;
    return state === null || !holds ? [] : [deletionAt(announcement.cleanUp, state)];
  });
  return deletedAt < Math.min(...instants);
}

/** Whether the bot has deleted a message of an announcement that keeps its messages. */
export function wasDeletedAgainstRule({ message, announcement }: SentMessage): boolean {
  return message.deletedAt !== undefined && announcement.cleanUp === undefined;
}

/** Whether the message should have been deleted before the end of the run. An event that is deleted keeps its end. */
export function wasLeft({ message, announcement, event }: SentMessage, endAt: number): boolean {
  if (announcement.cleanUp === undefined || event === undefined || message.deletedAt !== undefined) return false;
  const state = event.versions.findLast((version) => version.state !== null)?.state ?? undefined;
  return state !== undefined && deletionAt(announcement.cleanUp, state) <= endAt;
}

function deletionAt(cleanUp = 0, { startsAt, endsAt }: EventState): number {
  return Math.max(endsAt, startsAt + MIN_EVENT_MS) + cleanUp * MINUTE_MS;
}
