import type { OffsetAnchor } from "./announcement-offsets.ts";
import { action } from "./contract.ts";
import type { PostPreview } from "./dispatch.contract.ts";
import { type DraftChange, DRAFT_REFUSALS, draftChanges, DRAFTED_WRITES } from "./draft-changes.contract.ts";
import { guildId, integer, optional, reference } from "./field-rules.ts";
import { pageNarrowing } from "./pages.ts";
import type { AnnouncementId, EpochMs, EventId, GuildId, OccurrenceId } from "./ids.ts";

/** The effect of the changes on a post, if they were stored (D58). */
export const POST_EFFECTS = ["APPEARS", "VANISHES", "MOVES", "CHANGES"] as const;
export type PostEffect = (typeof POST_EFFECTS)[number];

/** A post as it would be sent. */
export interface DraftedPost {
  readonly eventId: EventId | OccurrenceId;
  readonly startsAt: EpochMs;
  readonly dueAt: EpochMs;
  /** The offset by which it is due; absent for a lead time (D54). */
  readonly anchor?: OffsetAnchor;
  readonly offsetMinutes?: number;
  readonly channel: string;
  /** The message as plain text, cut at MAX_DRAFTED_TEXT characters. */
  readonly text: string;
}

/** Characters of the text of a post in a diff. */
export const MAX_DRAFTED_TEXT = 500;

/** A post that the changes affect. A post that vanishes is shown as it was. */
export interface PostDifference extends DraftedPost {
  readonly effect: PostEffect;
  readonly announcementId: AnnouncementId;
  readonly reason: string;
  /** The post without the changes; for posts that move or change. */
  readonly before?: DraftedPost;
}

export interface PlanDiff {
  /** The numbers of posts by their effects. */
  readonly appear: number;
  readonly vanish: number;
  readonly move: number;
  readonly change: number;
  /** The soonest, by due instant. */
  readonly posts: readonly PostDifference[];
  /** Whether there are more than `posts` has. */
  readonly more: boolean;
  /** Posts that are due before this instant were compared: 366 days ahead, or less if there are too many. */
  readonly comparedUntil: EpochMs;
}

/** Largest number of posts in a diff: each is rendered. */
export const MAX_DIFFERENCES = 200;
export const DEFAULT_DIFFERENCES = 50;

interface DraftsParams {
  readonly guildId: GuildId;
  readonly changes: readonly DraftChange[];
}

const drafts = { guildId, changes: draftChanges };
const everyOwner = () => ["announcements", "calendar-events", "guild-settings"] as const;

export type PlanDiffParams = DraftsParams & { readonly limit?: number };

/**
 * Compares the guild's posts of the next 366 days with those that it would have after the changes, which are made one after the
 * other in memory, and stored nowhere (D58). If a change is refused, the request gets the refusal of the first such change, with
 * `changes[n]` before its fields.
 */
export const diffPlan = action<PlanDiffParams, PlanDiff>({
  name: "dispatch.diffPlan",
  keys: "guild read",
  refusals: DRAFT_REFUSALS,
  params: { ...drafts, limit: optional(integer(1, MAX_DIFFERENCES), DEFAULT_DIFFERENCES) },
  drafts: { contracts: DRAFTED_WRITES },
  dependsOn: everyOwner,
  idempotent: true,
  narrowing: pageNarrowing,
});

/** Largest number of occurrences in a preview. */
export const MAX_PREVIEWS = 10;

export type PreviewDraftsParams = DraftsParams & {
  readonly id?: string;
  readonly eventId?: string;
  readonly limit?: number;
};

/**
 * Renders the messages of an announcement for the next occurrences that it covers, as they would be after the changes. Without
 * an id, the announcement is the one that the last change of an announcement creates or updates.
 */
export const previewDrafts = action<PreviewDraftsParams, PostPreview[]>({
  name: "dispatch.previewDrafts",
  keys: "guild read",
  refusals: DRAFT_REFUSALS,
  params: {
    ...drafts,
    id: optional(reference),
    eventId: optional(reference),
    limit: optional(integer(1, MAX_PREVIEWS), 1),
  },
  drafts: { contracts: DRAFTED_WRITES },
  dependsOn: everyOwner,
  idempotent: true,
  narrowing: pageNarrowing,
});
