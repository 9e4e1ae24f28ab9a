import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { leadMs } from "./fire-time.ts";
import { pausing } from "./time-slices.ts";
import type { GuildTruth } from "./plan-input.ts";
import type { Post } from "../post/post.ts";
import { type Candidate, firstIndexFrom, type SelectionTruth, selectSoonest } from "./select-soonest.ts";
import { settledPost } from "./settled-post.ts";
import { whyCalledOff } from "./cancel-reason.ts";
import { keyOf } from "./desired-posts.ts";

/** What was asked for until a change of an event or of an announcement. */
export interface FormerTruth {
  readonly rules: readonly AnnouncementRule[];
  readonly occurrences: readonly Occurrence[];
}

/**
 * The soonest of what had come due before it was called off: a rule of now or before with an occurrence of before, or a
 * rule of before with an occurrence of now.
 */
export function* selectCalledOff(
  truth: SelectionTruth,
  { rules, occurrences }: FormerTruth,
  limit: number,
): Generator<void, Candidate[]> {
  const due = { ...truth, through: truth.now + 1, unplanned: undefined };
  const announcements = [...truth.announcements, ...rules];
  const ofEvents = occurrences.length === 0 ? [] : yield* soonestOf({ ...due, announcements, occurrences }, limit);
  const ended = rulesWithDuePosts(rules, truth.occurrences);
  const ofRules = ended.length === 0 ? [] : yield* soonestOf({ ...due, announcements: ended }, limit);
  return [...ofEvents, ...ofRules].filter(wasDue);
}

/**
 * The rules in whose life an occurrence came due. Clients may create and delete announcements all the time, and most live too
 * short for that: those are not paired with every occurrence.
 */
function rulesWithDuePosts(
  rules: readonly AnnouncementRule[],
  occurrences: readonly Occurrence[],
): readonly AnnouncementRule[] {
  const starts = occurrences.map(({ startsAt }) => startsAt).toSorted(ascending);
  const schedulings = occurrences.map(({ scheduledAt }) => scheduledAt).toSorted(ascending);
  return rules.filter((rule) => {
    const { standsSince, until = Infinity } = rule;
    const lead = leadMs(rule);
    return hasWithin(starts, standsSince + lead, until + lead) || hasWithin(schedulings, standsSince, until);
  });
}

/** Whether one of the sorted values lies in `[from, until)`. */
function hasWithin(sorted: readonly number[], from: number, until: number): boolean {
  const at = firstIndexFrom(sorted, from, (value) => value);
  return at < sorted.length && (sorted[at] as number) < until;
}

function ascending(one: number, other: number): number {
  return one - other;
}

function* soonestOf(truth: SelectionTruth, limit: number): Generator<void, readonly Candidate[]> {
  return (yield* selectSoonest(truth, limit)).candidates;
}

function wasDue({ announcement, occurrence, time }: Candidate): boolean {
  return time.kind === "due" && time.dueAt < Math.min(announcement.until ?? Infinity, occurrence.until ?? Infinity);
}

/**
 * The rows of what was due and called off before any plan saw it.
 *
 * @param beyond - As in the plan.
 * @param isKnown - Whether the post has a row, or is asked for now.
 */
export function* calledOffEarly(
  truth: GuildTruth,
  beyond: EpochMs,
  isKnown: (key: string) => boolean,
): Generator<void, Post[]> {
  const { calledOff = [], sinks, sinksOnSince = {} } = truth;
  const rows = new Map<string, Post>();
  yield* pausing(calledOff, ({ announcement, announcementId, occurrence, occurrenceId, time }) => {
    for (const sink of sinks) {
      const wish = {
        announcementId,
        occurrenceId,
        startsAt: occurrence.startsAt,
        sink,
        channel: announcement.channel,
        time,
      };
      const key = keyOf(wish);
      if (time.dueAt < (sinksOnSince[sink] ?? 0) || isKnown(key) || rows.has(key)) continue;
      const reason = whyCalledOff(wish, truth, beyond);
      rows.set(key, settledPost(truth, wish, 1, { state: "cancelled", reason }));
    }
  });
  return [...rows.values()];
}
