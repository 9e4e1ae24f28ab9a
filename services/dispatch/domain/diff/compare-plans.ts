import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Pause } from "../../../contracts/pause.ts";
import { formerIds } from "../plan/former-ids.ts";
import type { Plan } from "../plan/plan.ts";
import type { PlanInput } from "../plan/plan-input.ts";
import { applyUpdate, planSelection } from "../plan/plan-posts.ts";
import { postsAfter } from "../plan/posts-after.ts";
import { forEachInSlices } from "../plan/time-slices.ts";
import { isOpen, type Post, subjectKey } from "../post/post.ts";
import type { SelectedPass, SelectedPasses } from "./select-passes.ts";

/** A post that is planned only after the changes, only before them, or before and after them in different ways. */
export type PlanDifference =
  | { readonly effect: "APPEARS"; readonly after: Post; readonly reason: string }
  | { readonly effect: "VANISHES"; readonly before: Post; readonly reason: string }
  | { readonly effect: "MOVES" | "CHANGES"; readonly before: Post; readonly after: Post; readonly reason: string };

/** A post that is planned at the same time before and after the changes. Its message may differ. */
export interface UnmovedPost {
  readonly before: Post;
  readonly after: Post;
}

export interface ComparedPlans {
  readonly differences: readonly PlanDifference[];
  readonly unmoved: readonly UnmovedPost[];
}

type Common = Omit<
  PlanInput,
  "announcements" | "occurrences" | "through" | "maxOpenPosts" | "version" | "bounded" | "guildPause"
>;

/**
 * Compares the posts of a guild before and after changes: the plan is made from the state before, then from the state after,
 * so that a difference is what the second plan changes. The number of open posts is not limited. A post that is skipped when it is
 * due, because it is paused, counts as not planned. The generator yields so that the caller can run other work.
 */
export function* comparePlans(
  { passes, through }: SelectedPasses,
  { existing, ...common }: Common,
  pauses: { readonly before: Pause; readonly after: Pause },
): Generator<void, ComparedPlans> {
  const differences: PlanDifference[] = [];
  const unmoved: UnmovedPost[] = [];
  for (const pass of passes) {
    const given = { ...common, through, maxOpenPosts: Infinity, version: 0 };
    const rows = existing.filter(isOfPass(pass));
    const first: PlanInput = { ...given, ...pass.before, existing: rows, guildPause: pauses.before };
    const before = postsAfter(first, yield* planSelection(first, selectionUntil(pass.before.candidates, through)));
    const second: PlanInput = { ...given, ...pass.after, existing: before, guildPause: pauses.after };
    const plan = yield* planSelection(second, selectionUntil(pass.after.candidates, through));
    yield;
    const compared = yield* differencesOf(before, plan, pass);
    differences.push(...compared.differences);
    const isCompared = ({ dueAt }: Post) => dueAt >= common.start.at && dueAt < through;
    unmoved.push(...compared.unmoved.filter((each) => isCompared(each.before)));
  }
  return { differences: yield* onePerSubject(differences), unmoved: yield* onePerSubject(unmoved) };
}

function selectionUntil(candidates: SelectedPass["before"]["candidates"], through: number) {
  return { candidates: candidates.filter(({ at }) => at < through), firstOmitted: undefined, expired: [] };
}

/** Rows of the pass. A row that suspends an announcement, or that summarizes its posts, concerns all of its occurrences. */
function isOfPass({ before, after }: SelectedPass): (row: Post) => boolean {
  const announcements = new Set<string>([...before.announcements, ...after.announcements].map(({ id }) => id));
  const occurrences = [...before.occurrences, ...after.occurrences];
  const ids = new Set<string>([
    ...occurrences.map(({ occurrenceId }) => occurrenceId),
    ...occurrences.flatMap(formerIds),
  ]);
  return ({ announcementId, occurrenceId, suspends, summaryOf }) =>
    announcements.has(announcementId) && (ids.has(occurrenceId) || suspends !== undefined || summaryOf !== undefined);
}

/** The changes of the second plan to one subject, see `subjects`. */
interface SubjectChanges {
  cancelled?: { readonly row: Post; readonly reason: string };
  retimed?: { readonly row: Post; readonly next: Post };
  inserted?: Post;
}

function* differencesOf(before: readonly Post[], plan: Plan, pass: SelectedPass): Generator<void, ComparedPlans> {
  const subjectOf = subjects(pass);
  const bySubject = new Map<string, SubjectChanges>();
  const changesOf = (post: Post) => {
    const subject = subjectOf(post);
    const known = bySubject.get(subject) ?? {};
    bySubject.set(subject, known);
    return known;
  };
  const rows = new Map(before.map((row) => [row.id, row]));
  yield* forEachInSlices(plan.updates, (update) => {
    const row = rows.get(update.id);
    if (row === undefined) return;
    if (update.to.state === "planned") changesOf(row).retimed = { row, next: applyUpdate(row, update) };
    else changesOf(row).cancelled = { row, reason: update.to.reason };
  });
  yield* forEachInSlices(plan.inserts, (post) => {
    if (post.state === "planned") changesOf(post).inserted = post;
  });
  const differences: PlanDifference[] = [];
  const unmoved: UnmovedPost[] = [];
  const reasonOfNew = newPostReason(pass);
  yield* forEachInSlices(bySubject.values(), ({ cancelled, retimed, inserted }) => {
    const one = retimed?.row ?? cancelled?.row;
    const other = retimed?.next ?? inserted;
    const [row, next] = [unlessSkipped(one), unlessSkipped(other)];
    if (row !== undefined && next !== undefined) {
      if (retimed === undefined && isSamePost(row, next)) unmoved.push({ before: row, after: next });
      else differences.push(replaced(row, next));
    } else if (row !== undefined) {
      const reason = other?.skipReason ?? cancelled?.reason ?? "";
      differences.push({ effect: "VANISHES", before: row, reason });
    } else if (next !== undefined) {
      const reason = one?.skipReason === undefined ? reasonOfNew(next) : `no longer ${one.skipReason}`;
      differences.push({ effect: "APPEARS", after: next, reason });
    }
  });
  yield* forEachInSlices(before, (row) => {
    const isShown = isOpen(row) && unlessSkipped(row) !== undefined;
    if (isShown && !bySubject.has(subjectOf(row))) unmoved.push({ before: row, after: row });
  });
  return { differences, unmoved };
}

/** The post; undefined for one that is skipped when it is due. */
function unlessSkipped(post: Post | undefined): Post | undefined {
  return post?.skipReason === undefined ? post : undefined;
}

function isSamePost(one: Post, other: Post): boolean {
  return one.dueAt === other.dueAt && one.startsAt === other.startsAt && one.channel === other.channel;
}

/**
 * Returns a function for the key of a post: its announcement, occurrence, sink and offset. An occurrence that gets another id
 * by a split of its series keeps its key. Not every occurrence with a former id does so: the new series may begin earlier than
 * the split, and have an occurrence at a time at which the former series still has one.
 */
function subjects({ before, after }: SelectedPass): (post: Post) => string {
  const idsOf = (occurrences: readonly Occurrence[]) => new Set(occurrences.map(({ occurrenceId }) => occurrenceId));
  const [known, remaining] = [idsOf(before.occurrences), idsOf(after.occurrences)];
  const present = new Map<OccurrenceId, OccurrenceId>();
  for (const occurrence of after.occurrences) {
    if (known.has(occurrence.occurrenceId)) continue;
    for (const id of formerIds(occurrence)) if (!remaining.has(id)) present.set(id, occurrence.occurrenceId);
  }
  return (post) => subjectKey({ ...post, occurrenceId: present.get(post.occurrenceId) ?? post.occurrenceId });
}

function replaced(before: Post, after: Post): PlanDifference {
  if (before.startsAt !== after.startsAt) return { effect: "MOVES", before, after, reason: "the event was moved" };
  if (before.endsAt !== after.endsAt) {
    return { effect: "MOVES", before, after, reason: "the event ends at another time" };
  }
  if (before.dueAt !== after.dueAt) {
    return { effect: "MOVES", before, after, reason: "the post is due at another time before the same start" };
  }
  const reason = before.channel === after.channel ? "the event ends at another time" : "the channel was changed";
  return { effect: "CHANGES", before, after, reason };
}

/** Returns a function for the reason of a post that is planned only after the changes. */
function newPostReason({ before, after }: SelectedPass): (post: Post) => string {
  const rules = new Map(before.announcements.map((rule) => [rule.id, rule]));
  const rulesAfter = new Map(after.announcements.map((rule) => [rule.id, rule]));
  const ids = new Set(before.occurrences.map(({ occurrenceId }) => occurrenceId));
  return ({ announcementId, occurrenceId }) => {
    const rule = rules.get(announcementId);
    if (rule === undefined) return "the announcement is new";
    if (!isSameRule(rule, rulesAfter.get(announcementId))) return "the announcement was changed";
    return ids.has(occurrenceId) ? "the event was changed" : "the event is new";
  };
}

function isSameRule(one: AnnouncementRule, other: AnnouncementRule | undefined): boolean {
  return one.revision === other?.revision;
}

/** Of the entries that a post has for several sinks, one is kept. */
function* onePerSubject<Entry extends { readonly before?: Post; readonly after?: Post }>(
  entries: readonly Entry[],
): Generator<void, Entry[]> {
  const keyOf = ({ before, after }: Entry) => {
    const post = after ?? before;
    return post === undefined ? "" : subjectKey({ ...post, sink: "log" });
  };
  const bySubject = new Map<string, Entry>();
  yield* forEachInSlices(entries, (entry) => {
    bySubject.set(keyOf(entry), entry);
  });
  return [...bySubject.values()];
}
