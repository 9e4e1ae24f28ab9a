import type { ChangeOrigin } from "../../../contracts/contract.ts";
import type { PostState } from "../../../contracts/dispatch.contract.ts";
import type { AnnouncementId, EpochMs, GuildId, OccurrenceId } from "../../../contracts/ids.ts";
import type { Waited } from "./wait.ts";

/** The sinks, by their names in the ledger (D34). */
export const SINK_NAMES = ["log", "discord", "webhook"] as const;
export type SinkName = (typeof SINK_NAMES)[number];

/** What is posted once (D32): an announcement of one occurrence at one start, through one sink. */
export interface PostKey {
  readonly announcementId: AnnouncementId;
  readonly occurrenceId: OccurrenceId;
  readonly startsAt: EpochMs;
  readonly sink: SinkName;
}

/** What planning decides about a post; all times are the database server's. */
export interface PostPlan {
  readonly channel: string;
  /** Never posted before. */
  readonly dueAt: EpochMs;
  /** Never posted after; `missed` from then on (D30). */
  readonly deadline: EpochMs;
}

/** One row of the plan and ledger. */
export interface Post extends PostKey, PostPlan {
  readonly id: string;
  readonly guildId: GuildId;
  /** Counts the plans of one key, from 1: a post that was called off is planned anew as the next round. */
  readonly round: number;
  readonly state: PostState;
  /** Counts the writes of planning to this row, from 1; a claim names the one that it was checked against. */
  readonly planRevision: number;
  /** Counts the claims. Whoever holds the latest may write; a write with an older one changes nothing. */
  readonly fence: number;
  /** When something has to be done about an open post: due, a retry, or the end of a lease. */
  readonly wakeAt: EpochMs;
  /** When it was planned, where that was after it was due. */
  readonly plannedAt?: EpochMs;
  /** What it had waited for when its last attempt ended; while it is open. */
  readonly waited?: Waited;
  readonly attempts: number;
  /** How many workers vanished while they were sending it. */
  readonly crashes: number;
  /** Message ids of the parts that are known to be delivered, in order. */
  readonly delivered: readonly string[];
  /** Of how many messages it consists; known from the first claim. */
  readonly parts?: number;
  /** Who is sending; absent while a `sending` post waits for its next attempt. */
  readonly owner?: string;
  /** Names the claim, so that one whose answer was lost can be recognised. */
  readonly attemptId?: string;
  /** Since when it may have been delivered without anybody knowing. */
  readonly doubtSince?: EpochMs;
  /** The revision of the announcement that the claim was made on. */
  readonly announcementRevision?: number;
  /** The request that its announcement or its event was last changed by, when it was claimed or missed. */
  readonly changedBy?: ChangeOrigin;
  /** On a failed post: its announcement is suspended for this sink for as long as it has this revision. */
  readonly suspends?: number;
  /** On a skipped post: it stands for all that its announcement skips in this sink, for as long as that has this revision. */
  readonly standsFor?: number;
  readonly reason?: string;
  readonly settledAt?: EpochMs;
  readonly lateMs?: number;
  readonly messageId?: string;
}

/** The states in which something is still to be done. `planned`: certainly not sent. `sending`: it may have been. */
export const OPEN_STATES = ["planned", "sending"] as const satisfies readonly PostState[];

/** The states of what was called off or skipped: certainly not sent, and nobody's failure. */
export const UNSENT_STATES: readonly PostState[] = ["cancelled", "skipped"];

/** Every step that a post may take; a state without steps is final. */
export const TRANSITIONS: Readonly<Record<PostState, readonly PostState[]>> = {
  planned: ["planned", "sending", "missed", "cancelled", "skipped"],
  sending: ["sending", "planned", "sent", "failed", "unknown"],
  sent: [],
  failed: [],
  unknown: [],
  missed: [],
  cancelled: [],
  skipped: [],
};

/** Whether something is still to be done about it. */
export function isOpen({ state }: Pick<Post, "state">): boolean {
  return TRANSITIONS[state].length > 0;
}

/** Whether it was posted, in part at least, or may have been: then it is never posted again (D31). */
export function isAnnounced({
  state,
  delivered,
  doubtSince,
}: Pick<Post, "state" | "delivered" | "doubtSince">): boolean {
  if (state === "failed") return delivered.length > 0 || doubtSince !== undefined;
  return state === "sent" || state === "sending" || state === "unknown";
}

/** The row's key: unique, so that two planners can't plan one post twice. */
export function postId({ announcementId, occurrenceId, startsAt, sink }: PostKey, round: number): string {
  return `${announcementId}:${occurrenceId}:${startsAt}:${sink}:${round}`;
}

/** The occurrence and announcement of a post, whatever its start and round. */
export function subjectOf({ announcementId, occurrenceId, sink }: Omit<PostKey, "startsAt">): string {
  return `${announcementId}:${occurrenceId}:${sink}`;
}
