import { MAX_ENTRIES } from "../../../contracts/calendar-events.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { DigestRule } from "../../../contracts/announcement-digests.ts";
import { anchorInstant, isOfWrites, type OffsetAnchor } from "../../../contracts/announcement-offsets.ts";
import type {
  Occurrence,
  OccurrencesStarting,
  OccurrencesStartingParams,
} from "../../../contracts/occurrences.contract.ts";
import { mergedWindows, type Window } from "../../../contracts/window.ts";
import type { ElapsedOffset } from "../../domain/plan/offsets.ts";
import type { AnchorWindows } from "../../domain/plan/plan-input.ts";
import type { Owners } from "../ports.ts";
import type { Timing } from "../timing.ts";

const DAY_MS = 86_400_000;
/** In a guild with too many occurrences: how far ahead events that were created after their due instant are read. */
export const MAX_CREATED_LATE_MS = 7 * DAY_MS;
/** A read of the soonest anchors is far enough if it reaches the horizon divided by this. */
const FAR_ENOUGH_PART = 8;
/** A time span with too many occurrences is divided by this. */
const SPAN_DIVISOR = 4;
/** A shorter span is not divided. */
const MIN_SPAN_MS = 1_000;
/** Number of occurrences that are read with their texts and stored as sources; 7 kB each at most. */
const MAX_WITH_TEXTS = 500;

/** A guild's occurrences, as far as a plan needs them. */
export interface OccurrencesRead {
  readonly occurrences: readonly Occurrence[];
  /** The soonest, with their texts. */
  readonly withTexts: readonly Occurrence[];
  /** Occurrences as they were before they were changed or cancelled. */
  readonly former: readonly Occurrence[];
  readonly windows: AnchorWindows;
  /** Every occurrence whose posts are due before this instant was read. */
  readonly through: EpochMs;
  /** Whether `through` is before the horizon because the guild has more occurrences than can be read. */
  readonly isTruncated: boolean;
  /** The last occurrence that was read, if more than can be read are due almost at the same time before `through`. */
  readonly lastRead?: Occurrence | undefined;
}

interface ReadRange {
  readonly guildId: GuildId;
  /** Offsets of the guild's announcements. */
  readonly offsets: readonly ElapsedOffset[];
  /** The digests of the guild, among whose offsets is one for each, at the start. */
  readonly digests?: readonly DigestRule[];
  /** The calendars of holidays that the guild's announcements name (D66). */
  readonly holidaysOf?: readonly number[];
  /** The first due instant of the plan. */
  readonly from: EpochMs;
  readonly now: EpochMs;
}

/** The offsets from one anchor. */
export interface AnchorOffsets {
  readonly anchor: OffsetAnchor;
  /** Milliseconds after the anchor; negative before it. */
  readonly offsets: readonly number[];
}

/** The result of one read, by one anchor. */
export type AnchorRead = OccurrencesStarting & AnchorOffsets;

/** Reads the occurrences with the soonest anchors, with their texts. */
export function readSoonest(owners: Owners, timing: Timing, range: ReadRange): Promise<AnchorRead[]> {
  const { guildId, from } = range;
  const soonest = { guildId, limit: MAX_WITH_TEXTS, texts: true, formerAfter: from };
  return Promise.all(
    byAnchor(range.offsets).map(async (each) => {
      const read = await owners.occurrences({
        ...soonest,
        ...anchorParam(each),
        windows: wholeWindows(timing, range, each),
        ...digestsParam(range, each, range.now + timing.horizonMs),
        ...holidaysParam(range.holidaysOf),
      });
      return Object.assign(read, each);
    }),
  );
}

/** A guild without announcements is read by starts. */
export function byAnchor(offsets: readonly ElapsedOffset[]): AnchorOffsets[] {
  const groups = Map.groupBy(offsets, ({ anchor }) => anchor);
  if (groups.size === 0) return [{ anchor: "START", offsets: [] }];
  return [...groups].map(([anchor, group]) => ({ anchor, offsets: group.map(({ ms }) => ms) }));
}

/** START is the default: a previous release of the owner does not know the param. */
export function anchorParam({ anchor }: AnchorOffsets): Pick<OccurrencesStartingParams, "anchor"> {
  return anchor === "START" ? {} : { anchor };
}

/** Without a calendar, a previous release of the owner does not get the param. */
export function holidaysParam(holidaysOf: readonly number[] = []): Pick<OccurrencesStartingParams, "holidaysOf"> {
  return holidaysOf.length === 0 ? {} : { holidaysOf };
}

/** The digests that are due before an instant, whatever the lead times of other announcements. */
function digestsParam(
  { digests = [], from }: Pick<ReadRange, "digests" | "from">,
  { anchor }: Pick<AnchorOffsets, "anchor">,
  until: EpochMs,
): Pick<OccurrencesStartingParams, "digests"> {
  return anchor !== "START" || digests.length === 0 ? {} : { digests: { rules: digests, window: { from, until } } };
}

/**
 * The windows of the anchors that a plan needs. A lead time does not move the begin of the window to later, because an event
 * that was created after its due instant is due at once. Nothing is due at once by a creation or a change, so each offset from there has
 * its own window, which may be a year ago.
 */
function wholeWindows({ horizonMs }: Timing, { from, now }: ReadRange, { anchor, offsets }: AnchorOffsets): Window[] {
  if (isOfWrites(anchor)) return dueWithin(offsets, from, now + horizonMs);
  return [{ from: from - Math.max(0, ...offsets), until: now + horizonMs + longestLead(offsets) }];
}

/** The longest time before an anchor, in milliseconds; 0 if none is before it. */
export function longestLead(offsets: readonly number[]): number {
  return Math.max(0, ...offsets.map((ms) => -ms));
}

/**
 * Reads the occurrences whose posts are due from an instant on, up to the horizon or to the bounds of a read.
 *
 * @param first - The result of `readSoonest`.
 */
export async function readOccurrences(
  owners: Owners,
  timing: Timing,
  range: ReadRange,
  first: readonly AnchorRead[],
): Promise<OccurrencesRead> {
  const { guildId, offsets, now } = range;
  const horizon = now + timing.horizonMs;
  const withTexts = distinct(first.flatMap(({ occurrences }) => occurrences));
  const known = { withTexts, former: first.flatMap(({ former = [] }) => former) };
  if (!first.some(({ truncated }) => truncated) || offsets.length === 0) {
    const windows = windowsOf(first, (each) => wholeWindows(timing, range, each));
    return { ...known, occurrences: withTexts, windows, through: horizon, isTruncated: false };
  }
  const holidays = holidaysParam(range.holidaysOf);
  const read: ReadWindows = (each, windows, only = {}) =>
    owners.occurrences({
      guildId,
      windows,
      ...anchorParam(each),
      limit: MAX_ENTRIES,
      texts: false,
      ...only,
      ...holidays,
    });
  const all = await Promise.all(
    first.map(async (each) =>
      each.truncated
        ? { ...each, ...(await read(each, wholeWindows(timing, range, each), digestsParam(range, each, horizon))) }
        : each,
    ),
  );
  const occurrences = distinct(all.flatMap((each) => each.occurrences));
  const through = Math.min(horizon, ...all.map(readThrough));
  const isTruncated = all.some(({ truncated }) => truncated);
  if (through >= now + timing.horizonMs / FAR_ENOUGH_PART) {
    const windows = windowsOf(all, (each) => readWithin(wholeWindows(timing, range, each), through, each));
    return { ...known, occurrences, windows, through, isTruncated };
  }
  return { ...known, ...(await readByDueTime(read, range, horizon, occurrences)), isTruncated: true };
}

/** Every occurrence whose posts are due before this instant was read. */
function readThrough({ anchor, offsets, occurrences, truncated }: AnchorRead): EpochMs {
  const last = occurrences.at(-1);
  const lastAt = last === undefined ? undefined : anchorInstant(last, anchor);
  return truncated && lastAt !== undefined ? lastAt - longestLead(offsets) : Infinity;
}

/** The part of the windows of a read with the anchors that are due before `through`. */
function readWithin(windows: readonly Window[], through: EpochMs, { offsets }: AnchorOffsets): Window[] {
  const last = through + longestLead(offsets);
  return windows.map(({ from, until }) => ({ from, until: Math.min(until, last) })).filter(isNotEmpty);
}

function isNotEmpty({ from, until }: Window): boolean {
  return from < until;
}

function windowsOf(
  anchors: readonly AnchorOffsets[],
  windowsFor: (each: AnchorOffsets) => readonly Window[],
): AnchorWindows {
  return Object.fromEntries(anchors.map((each) => [each.anchor, windowsFor(each)]));
}

type ReadWindows = (
  anchor: AnchorOffsets,
  windows: readonly Window[],
  only?: Pick<OccurrencesStartingParams, "changedSince" | "digests">,
) => Promise<OccurrencesStarting>;

/**
 * Reads by due instants: for each offset the anchors that are due within a span, which is divided until all fit into one
 * read of an anchor. Also reads events whose times or color changed since `from`, because they may be due at once.
 *
 * @param soonest - The soonest occurrences; their posts may be skipped, and need rows.
 */
async function readByDueTime(
  read: ReadWindows,
  range: Omit<ReadRange, "guildId">,
  horizon: EpochMs,
  soonest: readonly Occurrence[],
): Promise<Pick<OccurrencesRead, "occurrences" | "windows" | "through" | "lastRead">> {
  const { offsets, from, now } = range;
  const anchors = byAnchor(offsets);
  const late = from <= now ? await Promise.all(anchors.map((each) => readLate(read, each, from))) : [];
  const mayBeLate = late.some(({ windows }) => windows.length > 0);
  for (let span = (horizon - from) / SPAN_DIVISOR; ; span /= SPAN_DIVISOR) {
    const isShortest = span < MIN_SPAN_MS;
    const through = from + Math.ceil(span);
    const due = await readDue(read, range, through);
    if (due.some(({ truncated }) => truncated) && !isShortest) continue;
    const found = [...late, ...due];
    const occurrences = distinct([...(mayBeLate ? soonest : []), ...found.flatMap((each) => each.occurrences)]);
    const incomplete = [...due, ...late].find(({ truncated }) => truncated);
    if (incomplete !== undefined) {
      return { occurrences, windows: {}, through, lastRead: incomplete.occurrences.at(-1) };
    }
    const windowsFor = ({ anchor }: AnchorOffsets) =>
      mergedWindows(found.filter((each) => each.anchor === anchor).flatMap(({ windows }) => windows));
    return { occurrences, windows: windowsOf(anchors, windowsFor), through };
  }
}

/** The occurrences of some windows, by one anchor. */
interface ReadByAnchor extends Pick<OccurrencesStarting, "occurrences" | "truncated"> {
  readonly anchor: OffsetAnchor;
  readonly windows: readonly Window[];
}

/** Reads the occurrences of the posts that are due from `from` on, before an instant, for each anchor of the offsets. */
export function readDue(
  read: ReadWindows,
  range: Pick<ReadRange, "offsets" | "digests" | "from">,
  until: EpochMs,
): Promise<ReadByAnchor[]> {
  return Promise.all(
    byAnchor(range.offsets).map(async (each) => {
      const windows = dueWithin(each.offsets, range.from, until);
      const found = await read(each, windows, digestsParam(range, each, until));
      return Object.assign(found, { anchor: each.anchor, windows });
    }),
  );
}

/** Reads the events whose times or color changed since `from`, as far as they may be due at once. */
async function readLate(read: ReadWindows, each: AnchorOffsets, from: EpochMs): Promise<ReadByAnchor> {
  const { anchor, offsets } = each;
  const window = { from, until: from + Math.min(MAX_CREATED_LATE_MS, longestLead(offsets)) };
  if (isOfWrites(anchor) || !isNotEmpty(window)) return { anchor, windows: [], occurrences: [], truncated: false };
  return { anchor, windows: [window], ...(await read(each, [window], { changedSince: from })) };
}

/** The windows of anchors that are due in `[from, through)` by any of the offsets. */
export function dueWithin(offsets: readonly number[], from: EpochMs, through: EpochMs): Window[] {
  return mergedWindows([...new Set(offsets)].map((ms) => ({ from: from - ms, until: through - ms })));
}

/** Each occurrence once. The digests of one date by a former and the present schedule are two with the same id (D65). */
export function distinct(occurrences: readonly Occurrence[]): Occurrence[] {
  const keyOf = ({ occurrenceId, digest }: Occurrence) => `${occurrenceId} ${digest?.schedule ?? ""}`;
  return [...new Map(occurrences.map((occurrence) => [keyOf(occurrence), occurrence])).values()];
}
