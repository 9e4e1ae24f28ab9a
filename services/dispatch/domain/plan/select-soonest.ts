import { unhandled } from "../../../../mixins/objects/unhandled.ts";
import { anchorInstant, type OffsetAnchor } from "../../../contracts/announcement-offsets.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { AnnouncementId, EpochMs, OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { offsetText } from "../post/post.ts";
import { covers } from "./covers.ts";
import { formerIds } from "./former-ids.ts";
import { fireTime, type FireTime, overAt } from "./fire-time.ts";
import { elapsedOffset, type ElapsedOffset, offsetsOf, type RuleOffset } from "./offsets.ts";
import { compareIds, comparePositions, type Position } from "./plan-order.ts";

/**
 * One announcement of one occurrence by one offset. `at` is the due instant; if the post is skipped, the later of its anchor
 * and its due instant.
 */
export interface Candidate extends Position {
  readonly announcementId: AnnouncementId;
  readonly occurrenceId: OccurrenceId;
  readonly announcement: AnnouncementRule;
  readonly occurrence: Occurrence;
  readonly ruleOffset: RuleOffset;
  readonly time: FireTime;
}

/** Candidates of one announcement that expired before any plan had room for them. */
export interface ExpiredCandidates {
  readonly first: Candidate;
  readonly count: number;
  readonly lastAt: EpochMs;
}

export interface Selection {
  /** The soonest candidates, in the order of their positions. */
  readonly candidates: readonly Candidate[];
  /** Position of the first candidate beyond the limit; undefined when all are selected. */
  readonly firstOmitted: Position | undefined;
  readonly expired: readonly ExpiredCandidates[];
}

export interface SelectionInput {
  readonly announcements: readonly AnnouncementRule[];
  readonly occurrences: readonly Occurrence[];
  /** The first position that is examined. */
  readonly start: Position;
  /** Exclusive bound of the due instants. */
  readonly through: EpochMs;
  readonly now: EpochMs;
  readonly graceMs: number;
  /**
   * Present if the plan before was bounded: it ended at `end`. No position from `farthestEnd` on was ever planned; candidates that
   * expired before `recordedThrough` have their `missed` rows.
   */
  readonly bounded?:
    | { readonly end: Position; readonly farthestEnd: Position; readonly recordedThrough: EpochMs }
    | undefined;
}

/** Examining this many pairs takes about a millisecond. */
const PAIRS_PER_SLICE = 1_000;

/**
 * Selects the soonest `limit` candidates: an announcement, one of its offsets, and an occurrence that it covers. There may be
 * ten million pairs: memory holds a few times `limit`, the soonest pairs are examined first, and the generator yields so that
 * the caller can run other work.
 */
export function* selectSoonest(input: SelectionInput, limit: number): Generator<void, Selection> {
  const { now, graceMs, bounded } = input;
  const soonest = newSoonest(limit);
  const expired = new Map<AnnouncementId, ExpiredCandidates>();
  let pairs = 0;
  for (const { announcement, offset, elapsed, covered, from } of pairLists(input)) {
    for (let at = from; at < covered.length; at += 1) {
      const occurrence = covered[at] as Occurrence;
      if (isBeyond(earliestPosition(announcement, offset, elapsed, occurrence), soonest.firstOmitted, input)) break;
      if ((pairs += 1) % PAIRS_PER_SLICE === 0) yield;
      const candidate = candidateOf(announcement, offset, occurrence, graceMs);
      if (candidate === undefined || !isWithin(candidate, input)) continue;
      const isSkipped = candidate.time.kind === "skipped";
      const wasPlanned = bounded === undefined || comparePositions(candidate, bounded.farthestEnd) < 0;
      if (isSkipped || wasPlanned || expiryOf(candidate) >= now) {
        soonest.add(candidate);
      } else if (expiryOf(candidate) >= bounded.recordedThrough) {
        expired.set(announcement.id, expiredWith(expired.get(announcement.id), candidate));
      }
    }
  }
  return { candidates: soonest.list(), firstOmitted: soonest.firstOmitted, expired: [...expired.values()] };
}

/** An offset of an announcement, and the occurrences that it may cover from index `from` on, by their earliest positions. */
interface PairList {
  readonly announcement: AnnouncementRule;
  readonly offset: RuleOffset;
  readonly elapsed: ElapsedOffset;
  readonly covered: readonly Occurrence[];
  readonly from: number;
  readonly first: Position;
}

/** The list whose first pair is the soonest comes first: so the limit is soon reached, and the rest of each list is left out. */
function pairLists({ announcements, occurrences, start }: SelectionInput): readonly PairList[] {
  const occurrencesOf = occurrenceIndex(occurrences);
  const lists = announcements
    .filter(({ enabled }) => enabled)
    .flatMap((announcement) =>
      offsetsOf(announcement).flatMap((offset): PairList[] => {
        const elapsed = elapsedOffset(announcement, offset);
        const covered = occurrencesOf(announcement, elapsed.anchor);
        // No position is after the later of anchor and due instant.
        const least = Math.max(start.at, announcement.standsSince) - Math.max(0, elapsed.ms);
        const from = firstIndexFrom(covered, least, (occurrence) => anchorOrNever(occurrence, elapsed.anchor));
        const occurrence = covered[from];
        if (occurrence === undefined) return [];
        const first = earliestPosition(announcement, offset, elapsed, occurrence);
        return [{ announcement, offset, elapsed, covered, from, first }];
      }),
    );
  return lists.sort((one, other) => comparePositions(one.first, other.first));
}

function anchorOrNever(occurrence: Occurrence, anchor: OffsetAnchor): EpochMs {
  return anchorInstant(occurrence, anchor) ?? Infinity;
}

/** The position of a post that is due exactly at its offset from the anchor. No candidate of the pair has an earlier one. */
function earliestPosition(
  announcement: AnnouncementRule,
  ruleOffset: RuleOffset,
  { anchor, ms }: ElapsedOffset,
  occurrence: Occurrence,
): Position {
  return positionAt(anchorOrNever(occurrence, anchor) + ms, announcement, ruleOffset, occurrence);
}

function positionAt(
  at: EpochMs,
  { id: announcementId }: AnnouncementRule,
  ruleOffset: RuleOffset,
  { occurrenceId }: Occurrence,
) {
  const offset = ruleOffset === undefined ? {} : { offset: offsetText(ruleOffset) };
  return { at, announcementId, occurrenceId, ...offset };
}

/** Whether neither this pair nor a later one of its list can be selected, be the first omitted one, or be counted as expired. */
function isBeyond(earliest: Position, firstOmitted: Position | undefined, input: SelectionInput): boolean {
  if (earliest.at >= input.through) return true;
  if (firstOmitted === undefined || comparePositions(earliest, firstOmitted) < 0) return false;
  // Shorter events at the same instant may have expired.
  const mayHaveExpired = input.bounded !== undefined && earliest.at < input.now;
  return !mayHaveExpired || earliest.at > firstOmitted.at;
}

function candidateOf(
  announcement: AnnouncementRule,
  ruleOffset: RuleOffset,
  occurrence: Occurrence,
  graceMs: number,
): Candidate | undefined {
  if (!covers(announcement, occurrence)) return undefined;
  const time = fireTime(announcement, ruleOffset, occurrence, graceMs);
  if (time === undefined) return undefined;
  const at = time.kind === "due" ? time.dueAt : skippedAt(announcement, ruleOffset, occurrence);
  return { ...positionAt(at, announcement, ruleOffset, occurrence), announcement, occurrence, ruleOffset, time };
}

function skippedAt(announcement: AnnouncementRule, offset: RuleOffset, occurrence: Occurrence): EpochMs {
  const elapsed = elapsedOffset(announcement, offset);
  return overAt(anchorInstant(occurrence, elapsed.anchor) ?? occurrence.startsAt, elapsed);
}

/** A skipped candidate is within the plan until `overAt`, however long before it would have been due. */
function isWithin(candidate: Candidate, { start, through }: SelectionInput): boolean {
  return candidate.time.dueAt < through && comparePositions(candidate, start) >= 0;
}

/** The instant from which on it is too late to plan the candidate. */
function expiryOf({ time, at }: Candidate): EpochMs {
  return time.kind === "due" ? time.deadline : at;
}

function expiredWith(before: ExpiredCandidates | undefined, candidate: Candidate): ExpiredCandidates {
  if (before === undefined) return { first: candidate, count: 1, lastAt: candidate.at };
  const first = comparePositions(candidate, before.first) < 0 ? candidate : before.first;
  return { first, count: before.count + 1, lastAt: Math.max(before.lastAt, candidate.at) };
}

/** Returns a function that lists the occurrences which an announcement may cover, in the order of an anchor and of their ids. */
function occurrenceIndex(
  occurrences: readonly Occurrence[],
): (rule: AnnouncementRule, anchor: OffsetAnchor) => readonly Occurrence[] {
  const indexes = new Map<OffsetAnchor, ReturnType<typeof indexByAnchor>>();
  return (rule, anchor) => {
    const index = indexes.get(anchor) ?? indexByAnchor(occurrences, anchor);
    indexes.set(anchor, index);
    return index(rule);
  };
}

function indexByAnchor(
  occurrences: readonly Occurrence[],
  anchor: OffsetAnchor,
): (rule: AnnouncementRule) => readonly Occurrence[] {
  const all = occurrences
    .filter((occurrence) => anchorOrNever(occurrence, anchor) < Infinity)
    .sort(
      (one, other) =>
        anchorOrNever(one, anchor) - anchorOrNever(other, anchor) || compareIds(one.occurrenceId, other.occurrenceId),
    );
  const events = all.filter(({ digest }) => digest === undefined);
  const byColor = Map.groupBy(events, ({ color }) => color);
  const byReference = new Map<string, Occurrence[]>();
  for (const occurrence of all) {
    for (const reference of referencesTo(occurrence)) {
      const referred = byReference.get(reference);
      if (referred === undefined) byReference.set(reference, [occurrence]);
      else referred.push(occurrence);
    }
  }
  return ({ id, type, eventColor, eventId }) => {
    switch (type) {
      case "UNIVERSAL":
        return events;
      case "DIGEST":
        return byReference.get(id) ?? [];
      case "COLOR":
        return byColor.get(eventColor) ?? [];
      case "RECUR":
      case "SPECIFIC":
        return byReference.get(eventId) ?? [];
      default:
        unhandled(type);
        return [];
    }
  };
}

/** The ids by which an announcement may refer to the occurrence (D24, D51); the announcement's own id for its digest (D65). */
function referencesTo(occurrence: Occurrence): ReadonlySet<string> {
  if (occurrence.digest !== undefined) return new Set([occurrence.digest.announcementId]);
  const { occurrenceId, eventId, follows = [] } = occurrence;
  return new Set<string>([eventId, occurrenceId, ...follows, ...formerIds(occurrence)]);
}

/** Binary search: the index of the first item with a value of at least `least`, in a list that is sorted by the value. */
export function firstIndexFrom<Item>(sorted: readonly Item[], least: number, valueOf: (item: Item) => number): number {
  let from = 0;
  let until = sorted.length;
  while (from < until) {
    const middle = (from + until) >>> 1;
    if (valueOf(sorted[middle] as Item) < least) from = middle + 1;
    else until = middle;
  }
  return from;
}

interface Soonest {
  add(candidate: Candidate): void;
  readonly firstOmitted: Candidate | undefined;
  list(): readonly Candidate[];
}

/** Holds at most twice `limit` candidates, and discards the later half when it is full. */
function newSoonest(limit: number): Soonest {
  let candidates: Candidate[] = [];
  let last: Candidate | undefined;
  let firstOmitted: Candidate | undefined;

  function omit(candidate: Candidate): void {
    if (firstOmitted === undefined || comparePositions(candidate, firstOmitted) < 0) firstOmitted = candidate;
  }

  function trim(): void {
    candidates.sort(comparePositions);
    if (candidates.length <= limit) return;
    omit(candidates[limit] as Candidate);
    candidates = candidates.slice(0, limit);
    last = candidates.at(-1);
  }

  return {
    add(candidate) {
      if (last !== undefined && comparePositions(candidate, last) > 0) omit(candidate);
      else if (candidates.push(candidate) >= 2 * limit) trim();
    },
    get firstOmitted() {
      return firstOmitted;
    },
    list() {
      trim();
      return candidates;
    },
  };
}
