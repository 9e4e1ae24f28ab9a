import type { PostOffset } from "../../../contracts/announcement-offsets.ts";
import type { ChangeOrigin } from "../../../contracts/contract.ts";
import type { PostState } from "../../../contracts/dispatch.contract.ts";
import type { AnnouncementId, EpochMs, GuildId, OccurrenceId } from "../../../contracts/ids.ts";
import type { MessageStep } from "../../../contracts/posted-messages.ts";
import type { MessageState } from "./message-state.ts";
import type { SinkName } from "./sink-name.ts";
import type { WaitTotals } from "./wait.ts";

/** The unit that is posted once (D32): an announcement of one occurrence at one start and by one offset, through one sink. */
export interface PostKey {
  readonly announcementId: AnnouncementId;
  readonly occurrenceId: OccurrenceId;
  readonly startsAt: EpochMs;
  /** The end of the occurrence; only for a post by an offset from the end. */
  readonly endsAt?: EpochMs;
  /** The change of the event that it is about; only for a post by an offset from a change (D69). */
  readonly rescheduledAt?: EpochMs;
  /** Absent for an announcement with a lead time in place of offsets (D54). */
  readonly offset?: PostOffset;
  readonly sink: SinkName;
}

/** The part of a post that planning decides. All times are the database server's. */
export interface PostPlan {
  readonly channel: string;
  /** The post is never sent before this instant. */
  readonly dueAt: EpochMs;
  /** The post is never sent after this instant; it is `missed` from then on (D30). */
  readonly deadline: EpochMs;
}

/** One row of the plan and ledger. */
export interface Post extends PostKey, PostPlan {
  readonly id: string;
  readonly guildId: GuildId;
  /** Counts the plans of one key, from 1: a cancelled post that is planned again is the next round. */
  readonly round: number;
  readonly state: PostState;
  /**
   * The version of the plan that inserted the row, plus one for each later write of planning to the row. So a row that was
   * removed and returns has another revision. A claim names the revision that it was checked against.
   */
  readonly planRevision: number;
  /** Counts the claims: a fencing token. A write with an older fence changes nothing. */
  readonly fence: number;
  /** The next instant at which an open post, or a step of a sent one, needs work: due, a retry, or the end of a lease. */
  readonly wakeAt: EpochMs;
  /** Present if the post was planned after it was due. */
  readonly plannedAt?: EpochMs;
  /** Whether the post was planned late because the guild had as many open posts as it may have (D39). */
  readonly overLimit?: true;
  /** Why it will be skipped when it is due, as of its plan. The state at the due instant decides (D62). */
  readonly skipReason?: string;
  /** The waits until the end of the last attempt; only in open posts. */
  readonly waited?: WaitTotals;
  readonly attempts: number;
  /** Number of workers that vanished while they were sending the post. */
  readonly crashes: number;
  /** Message ids of the delivered parts, in order. */
  readonly delivered: readonly string[];
  /** Number of messages; known from the first claim on. */
  readonly parts?: number;
  /** The replica that sends the post; absent while a `sending` post waits for its next attempt. */
  readonly owner?: string;
  /** Identifies the claim, so that a claim whose response was lost can be recognised. */
  readonly attemptId?: string;
  /** Time of the last claim, from which on its worker sends it. A takeover is no claim. */
  readonly claimedAt?: EpochMs;
  /** Since this instant the post may have been delivered without a response that says so. */
  readonly doubtSince?: EpochMs;
  /** The announcement's revision at the claim. */
  readonly announcementRevision?: number;
  /** The request that last changed the announcement or the event, at the claim or when the post was missed. */
  readonly changedBy?: ChangeOrigin;
  /** On a failed post: the announcement is suspended for this sink as long as it has this revision. */
  readonly suspends?: number;
  /** On a skipped post: a summary of the posts that the announcement skips in this sink while it has this revision. */
  readonly summaryOf?: number;
  readonly reason?: string;
  readonly settledAt?: EpochMs;
  readonly lateMs?: number;
  readonly messageId?: string;
  /** From its claim on, if its message is edited when its event changes (D67); removed when the message is not edited any more. */
  readonly message?: MessageState;
  /** Present on a sent post whose message has to be compared with the current state at `wakeAt`. */
  readonly stepDue?: true;
  /** The steps of the message. */
  readonly steps?: readonly MessageStep[];
}

/** The states that need work. `planned`: certainly not sent. `sending`: it may have been sent. */
export const OPEN_STATES = ["planned", "sending"] as const satisfies readonly PostState[];

/** The final states of posts that are not to be sent. */
export const UNSENT_STATES: readonly PostState[] = ["cancelled", "skipped"];

/** The allowed transitions. A post keeps its state `sent` while its message is edited; the other states without transitions are final. */
export const TRANSITIONS: Readonly<Record<PostState, readonly PostState[]>> = {
  planned: ["planned", "sending", "missed", "cancelled", "skipped"],
  sending: ["sending", "planned", "sent", "failed", "unknown"],
  sent: ["sent"],
  failed: [],
  unknown: [],
  missed: [],
  cancelled: [],
  skipped: [],
};

export function isOpen({ state }: Pick<Post, "state">): boolean {
  return OPEN_STATES.some((open) => open === state);
}

/** Whether the post, or a part of it, was sent or may have been sent. Such a post is never sent again (D31). */
export function mayHaveBeenSent({
  state,
  delivered,
  doubtSince,
}: Pick<Post, "state" | "delivered" | "doubtSince">): boolean {
  if (state === "failed") return delivered.length > 0 || doubtSince !== undefined;
  return state === "sent" || state === "sending" || state === "unknown";
}

/** The row's id. It is unique, so two planners can't plan one post twice. */
export function postId({ announcementId, occurrenceId, startsAt, sink, ...offset }: PostKey, round: number): string {
  return `${announcementId}:${occurrenceId}:${startsAt}:${sink}${offsetInId(offset)}:${round}`;
}

/** The part of an identity that distinguishes offsets; empty for a lead time, as in releases before D54. */
export function offsetInId({ offset, endsAt, rescheduledAt }: Pick<PostKey, "offset" | TimeInKey>): string {
  if (offset === undefined) return "";
  const at = endsAt ?? rescheduledAt;
  return `:${offsetText(offset)}${at === undefined ? "" : `:${at}`}`;
}

/** The instants of a key that only the posts by some offsets have. */
type TimeInKey = "endsAt" | "rescheduledAt";

/** An offset as text, such as START-60; empty for a lead time. */
export function offsetText(offset: PostOffset | undefined): string {
  if (offset === undefined) return "";
  return `${offset.anchor}${offset.minutes < 0 ? "" : "+"}${offset.minutes}`;
}

/** The key of a post without its times and round. */
export function subjectKey({
  announcementId,
  occurrenceId,
  sink,
  offset,
}: Omit<PostKey, "startsAt" | TimeInKey>): string {
  return `${announcementId}:${occurrenceId}:${sink}:${offsetText(offset)}`;
}
