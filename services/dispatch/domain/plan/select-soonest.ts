import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { AnnouncementId, EpochMs, OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { covers } from "./covers.ts";
import { fireTime, type FireTime, leadMs } from "./fire-time.ts";
import { comparePositions, type Position } from "./plan-order.ts";

/** One announcement of one occurrence; its time in the order is the due instant, or the start where it is skipped. */
export interface Candidate extends Position {
  readonly announcementId: AnnouncementId;
  readonly occurrenceId: OccurrenceId;
  readonly announcement: AnnouncementRule;
  readonly occurrence: Occurrence;
  readonly time: FireTime;
}

/** Candidates of one announcement that no plan had room for, and whose time is over. */
export interface PassedOver {
  readonly first: Candidate;
  readonly count: number;
  readonly lastAt: EpochMs;
}

export interface Selection {
  /** The soonest, in their order. */
  readonly candidates: readonly Candidate[];
  /** The first that was left out; undefined where all are in. */
  readonly next: Position | undefined;
  readonly passedOver: readonly PassedOver[];
}

export interface SelectionTruth {
  readonly announcements: readonly AnnouncementRule[];
  readonly occurrences: readonly Occurrence[];
  /** Looked at is what comes from here on. */
  readonly after: Position;
  /** Only what is due before. */
  readonly through: EpochMs;
  readonly now: EpochMs;
  readonly graceMs: number;
  /** From `reached` on nothing was planned before; what was over by `toldThrough` has its account. */
  readonly unplanned?: { readonly reached: Position; readonly toldThrough: EpochMs } | undefined;
}

/** Pairs that are looked at between two pauses: a few milliseconds. */
const PAIRS_AT_A_TIME = 5_000;

/**
 * The soonest `limit` of all pairs of an announcement and an occurrence that it covers. There may be ten million pairs, so
 * memory holds a few times the limit, and the generator yields where the caller may let others have their turn.
 */
export function* selectSoonest(truth: SelectionTruth, limit: number): Generator<void, Selection> {
  const { after, now, graceMs, unplanned } = truth;
  const soonest = newSoonest(limit);
  const passedOver = new Map<AnnouncementId, PassedOver>();
  const occurrencesOf = occurrenceIndex(truth.occurrences);
  let pairs = 0;
  for (const announcement of truth.announcements) {
    if (!announcement.enabled) continue;
    const lead = leadMs(announcement);
    const covered = occurrencesOf(announcement);
    // Nothing comes in the order before `start − lead`, so the rest of the list is too late.
    const last = () => Math.min(truth.through, soonest.next?.at ?? Infinity) + lead;
    const from = Math.max(after.at, announcement.standsSince);
    for (let at = firstIndexFrom(covered, from, ({ startsAt }) => startsAt); at < covered.length; at += 1) {
      const occurrence = covered[at] as Occurrence;
      if (occurrence.startsAt > last()) break;
      if ((pairs += 1) % PAIRS_AT_A_TIME === 0) yield;
      const candidate = candidateOf(announcement, occurrence, graceMs);
      if (candidate === undefined || !isWithin(candidate, truth)) continue;
      if (unplanned === undefined || endOf(candidate) >= now || comparePositions(candidate, unplanned.reached) < 0) {
        soonest.add(candidate);
      } else if (endOf(candidate) >= unplanned.toldThrough) {
        passedOver.set(announcement.id, passedOverWith(passedOver.get(announcement.id), candidate));
      }
    }
  }
  return { candidates: soonest.list(), next: soonest.next, passedOver: [...passedOver.values()] };
}

function candidateOf(announcement: AnnouncementRule, occurrence: Occurrence, graceMs: number): Candidate | undefined {
  if (!covers(announcement, occurrence)) return undefined;
  const time = fireTime(announcement, occurrence, graceMs);
  if (time === undefined) return undefined;
  const at = time.kind === "due" ? time.dueAt : occurrence.startsAt;
  const { occurrenceId } = occurrence;
  return { at, announcementId: announcement.id, occurrenceId, announcement, occurrence, time };
}

/** What is skipped is recorded up to its start, however long before it would have been due. */
function isWithin(candidate: Candidate, { after, through }: SelectionTruth): boolean {
  return candidate.time.dueAt < through && comparePositions(candidate, after) >= 0;
}

/** From when on it is too late to plan it. */
function endOf({ time, occurrence }: Candidate): EpochMs {
  return time.kind === "due" ? time.deadline : occurrence.startsAt;
}

function passedOverWith(before: PassedOver | undefined, candidate: Candidate): PassedOver {
  if (before === undefined) return { first: candidate, count: 1, lastAt: candidate.at };
  const first = comparePositions(candidate, before.first) < 0 ? candidate : before.first;
  return { first, count: before.count + 1, lastAt: Math.max(before.lastAt, candidate.at) };
}

/** The occurrences that an announcement may cover, by start: a colour's or an event's alone where it names one. */
function occurrenceIndex(occurrences: readonly Occurrence[]): (rule: AnnouncementRule) => readonly Occurrence[] {
  const all = occurrences.toSorted((one, other) => one.startsAt - other.startsAt);
  const byColor = Map.groupBy(all, ({ color }) => color);
  const byEvent = Map.groupBy(all, ({ eventId }) => eventId as string);
  const byId = Map.groupBy(all, ({ occurrenceId }) => occurrenceId as string);
  return ({ type, eventColor, eventId }) => {
    if (type === "UNIVERSAL") return all;
    if (type === "COLOR") return byColor.get(eventColor) ?? [];
    return byEvent.get(eventId) ?? byId.get(eventId) ?? [];
  };
}

/** The index of the first item whose value is at least `least`, in a list that is sorted by it; the length where none is. */
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
  /** The first of those that were left out until now. */
  readonly next: Candidate | undefined;
  list(): readonly Candidate[];
}

function newSoonest(limit: number): Soonest {
  let kept: Candidate[] = [];
  let worst: Candidate | undefined;
  let next: Candidate | undefined;

  function leaveOut(candidate: Candidate): void {
    if (next === undefined || comparePositions(candidate, next) < 0) next = candidate;
  }

  function cut(): void {
    kept.sort(comparePositions);
    if (kept.length <= limit) return;
    leaveOut(kept[limit] as Candidate);
    kept = kept.slice(0, limit);
    worst = kept.at(-1);
  }

  return {
    add(candidate) {
      if (worst !== undefined && comparePositions(candidate, worst) > 0) leaveOut(candidate);
      else if (kept.push(candidate) >= 2 * limit) cut();
    },
    get next() {
      return next;
    },
    list() {
      cut();
      return kept;
    },
  };
}
