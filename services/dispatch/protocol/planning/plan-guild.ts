import { digestRules } from "../../../contracts/announcement-digests.ts";
import { isOfWrites } from "../../../contracts/announcement-offsets.ts";
import { TOMBSTONE_DAYS } from "../../../contracts/change-feed.contract.ts";
import { holidayCalendars } from "../../../contracts/holidays.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import { selectCancelled } from "../../domain/plan/cancelled-before-planned.ts";
import { formerIds } from "../../domain/plan/former-ids.ts";
import { type ElapsedOffset, elapsedOffsets } from "../../domain/plan/offsets.ts";
import type { Plan, PlanChanges } from "../../domain/plan/plan.ts";
import { CANDIDATES_PER_POST, type LedgerStart, type PlanInput } from "../../domain/plan/plan-input.ts";
import { comparePositions, firstPositionAt, type Position } from "../../domain/plan/plan-order.ts";
import { planSelection } from "../../domain/plan/plan-posts.ts";
import { postsAfter } from "../../domain/plan/posts-after.ts";
import { selectSoonest } from "../../domain/plan/select-soonest.ts";
import { isOpen, type Post, UNSENT_STATES } from "../../domain/post/post.ts";
import type { Ports } from "../ports.ts";
import type { BoundedPlan, GuildPlan } from "../post-store.ts";
import type { Timing } from "../timing.ts";
import { requestChangedMessages } from "./changed-messages.ts";
import { existingPosts } from "./existing-posts.ts";
import { changedSources } from "./plan-sources.ts";
import { type AnchorRead, type OccurrencesRead, readOccurrences, readSoonest } from "./read-occurrences.ts";
import { storePlan } from "./store-plan.ts";

const DAY_MS = 86_400_000;
/** In place of the instant of a change: nothing changed, and a bounded plan continues at its end. */
export const CONTINUE_PLAN = Infinity;
/** Posts that are due within the horizon divided by this are planned at once, in as many plans as it takes. */
const NEAR_PART = 48;
/** A holiday may begin later than an occurrence of its day: at the end of a day of 25 hours, and by the zones of two calendars. */
const LATEST_HOLIDAY_MS = 2 * DAY_MS + 4 * 3_600_000;
/** A plan with more pairs of an announcement and an occurrence is large; it may take a hundred megabytes. */
const MAX_SMALL_PAIRS = 2_000;

export interface PlanResult {
  /** The guild's open posts that the plan examined. */
  readonly posts: readonly Post[];
  /** When the plan continues: never, when there is room (`overdue`: its next posts are already due), or at once. */
  readonly more: "none" | "with room" | "overdue" | "at once";
  readonly isLarge: boolean;
  /**
   * The longest time before the start of an event at which a post of it may be due, or at which it may be the holiday of another post;
   * Infinity if an announcement counts from the creation, -Infinity if none is enabled.
   */
  readonly longestLeadMs: number;
}

const NOTHING_PLANNED: PlanResult = { posts: [], more: "none", isLarge: false, longestLeadMs: -Infinity };

/**
 * Plans one guild from the current announcements and occurrences; undefined if another plan was stored meanwhile. The
 * version is read before the input: a stored plan always has newer input than the plan that it replaces.
 *
 * @param size - With `small`, a large plan ends before most of its input is read, and the result is `too large`.
 */
export async function planGuild(
  ports: Ports,
  timing: Timing,
  guildId: GuildId,
  since: EpochMs,
  ledgerStart: LedgerStart,
  size: "small" | "any",
): Promise<PlanResult | "too large" | undefined> {
  const { store, owners, clock, reports } = ports;
  const before = await store.guildPlan(guildId);
  const now = clock.now();
  const start = startOfPlan(now, since, before, timing);
  const everyRule = await owners.announcementRules(guildId, start.at);
  const offsets = elapsedOffsets(everyRule);
  if (before.version === 0 && offsets.length === 0) return NOTHING_PLANNED;
  const announcements = everyRule.filter(({ until }) => until === undefined);
  const holidaysOf = holidayCalendars(announcements);
  const range = { guildId, offsets, digests: digestRules(everyRule), holidaysOf, from: start.at, now };
  const soonest = await readSoonest(owners, timing, range);
  const isLarge = isLargePlan(Math.max(everyRule.length, offsets.length), soonest);
  if (isLarge && size === "small") return "too large";
  const read = await readOccurrences(owners, timing, range, soonest);
  const { occurrences, windows, through, isTruncated, lastRead } = read;
  if (isTruncated) reports.operationFailed("plan", { guildId, reason: "too many occurrences" });
  const { graceMs, maxOpenPosts } = timing;
  const { version, bounded } = before;
  const sinks = ports.sinks.map(({ name }) => name);
  const given = { guildId, announcements, occurrences, windows, sinks, ...ledgerStart, start, through, now };
  const bounds = { graceMs, maxOpenPosts, version, bounded };
  const selecting = selectSoonest({ ...given, ...bounds }, CANDIDATES_PER_POST * maxOpenPosts);
  const selection = await runInSlices(ports, selecting);
  const former = { rules: everyRule.filter(({ until }) => until !== undefined), occurrences: read.former };
  const cancelled = await runInSlices(ports, selectCancelled({ ...given, ...bounds }, former, maxOpenPosts));
  const selected = [...selection.candidates, ...cancelled, ...selection.expired.map(({ first }) => first)];
  const ids = [
    ...[...selected, ...(lastRead === undefined ? [] : [lastRead])].map(({ occurrenceId }) => occurrenceId),
    // An occurrence that was announced under another id is not announced again (D51).
    ...selected.flatMap(({ occurrence }) => formerIds(occurrence)),
  ];
  const rules = [...announcements, ...cancelled.map(({ announcement }) => announcement)];
  const pairs = { occurrenceIds: new Set(ids), announcementIds: new Set(rules.map(({ id }) => id)) };
  const existing = await existingPosts(ports, timing, guildId, pairs);
  const hasPosts = selection.candidates.length > 0 || existing.some(isOpen);
  const settings = hasPosts ? await owners.settings(guildId) : undefined;
  const input: PlanInput = { ...given, ...bounds, cancelled, existing, lastRead, guildPause: settings ?? {} };
  const plan = withNearEnd(await runInSlices(ports, planSelection(input, selection)), read, now, timing);
  const posts = postsAfter(input, plan);
  const sources = await changedSources(ports, input, settings, read.withTexts, posts);
  const { inserts, updates, removes } = plan;
  const reach = reachOf(before, { through, now, isTruncated }, plan, timing, posts);
  const commit = { guildId, version, inserts, updates, removes, sources, ...reach, requests: before.requests };
  const unfinished = {
    ...before,
    plannedThrough: version === 0 ? start.at : before.plannedThrough,
    replanAt: version === 0 ? now : Math.min(now, before.replanAt),
  };
  const byId = new Map(posts.map((post) => [post.id, post]));
  const isStored = await storePlan(store, commit, unfinished, (changes) => {
    for (const post of settledBy(changes, byId)) reports.settled(post);
  });
  if (!isStored) return undefined;
  await requestChangedMessages(ports, timing, guildId, announcements, async () => settings ?? owners.settings(guildId));
  if (hasUnsentPosts(plan)) await store.deleteOldUnsent(guildId, timing.maxUnsentPosts);
  const more = plan.end === undefined ? "none" : continuation(plan.end, plan.isFull, now);
  const longestLeadMs = longestLeadOf(offsets) + (holidaysOf.length === 0 ? 0 : LATEST_HOLIDAY_MS);
  return { posts: posts.filter(isOpen), more, isLarge, longestLeadMs };
}

/** @param rules - Number of announcements, or of their offsets if these are more. */
function isLargePlan(rules: number, reads: readonly AnchorRead[]): boolean {
  const counts = reads.map(({ occurrences, former = [] }) => occurrences.length + former.length);
  return reads.some(({ truncated }) => truncated) || rules * Math.max(...counts) > MAX_SMALL_PAIRS;
}

/** As `longestLeadMs`. A lead before the end counts as one before the start, which is not later than the end. */
function longestLeadOf(offsets: readonly ElapsedOffset[]): number {
  return Math.max(...offsets.map(({ anchor, ms }) => (isOfWrites(anchor) ? Infinity : -ms)));
}

/** Ends the plan where the read ended if not even the near part could be read, so that the plan continues at once. */
function withNearEnd(plan: Plan, { isTruncated, through }: OccurrencesRead, now: EpochMs, { horizonMs }: Timing): Plan {
  const isNear = isTruncated && through < now + horizonMs / NEAR_PART;
  return plan.end === undefined && isNear ? { ...plan, end: firstPositionAt(through) } : plan;
}

function continuation(end: Position, isFull: boolean, now: EpochMs): PlanResult["more"] {
  if (!isFull) return "at once";
  return end.at <= now ? "overdue" : "with room";
}

/**
 * A plan starts one grace time ago, at the last change, or where the plan before ended, whichever is earliest: after an
 * outage of the whole service every post that was due meanwhile gets its row. A bounded plan that continues starts at its
 * end, unless another plan is requested.
 */
function startOfPlan(now: EpochMs, since: EpochMs, plan: GuildPlan, { graceMs }: Timing): Position {
  if (since === CONTINUE_PLAN && plan.requests === undefined && plan.bounded !== undefined) return plan.bounded.end;
  const through = plan.version === 0 ? Infinity : plan.plannedThrough;
  return firstPositionAt(Math.max(now - TOMBSTONE_DAYS * DAY_MS, Math.min(now - graceMs, since, through)));
}

/** Whether the plan cancels or skips posts. */
function hasUnsentPosts({ inserts, updates }: PlanChanges): boolean {
  return updates.some(({ to }) => to.state !== "planned") || inserts.some(({ state }) => UNSENT_STATES.includes(state));
}

/** Lets the event loop run other work between two slices. */
async function runInSlices<Result>({ timers }: Ports, work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await new Promise<void>((resolve) => void timers.after(0, resolve));
  }
}

/**
 * The posts that the plan itself settles: cancelled, skipped and missed ones. A plan does not know the requests of the changes that it
 * includes, and the request of an earlier claim has not settled the post.
 */
function settledBy({ inserts, updates }: PlanChanges, posts: ReadonlyMap<string, Post>): Post[] {
  return [...inserts, ...updates].flatMap(({ id }) => {
    const post = posts.get(id);
    if (post === undefined || isOpen(post)) return [];
    const { changedBy: _, ...settled } = post;
    return [settled];
  });
}

/** How far the plan reaches. Nearly the same reach stays as it is, so that an unchanged plan writes nothing. */
function reachOf(
  before: GuildPlan,
  { through, now, isTruncated }: Pick<PlanInput, "through" | "now"> & Pick<OccurrencesRead, "isTruncated">,
  { end, ...changes }: Plan,
  { horizonMs, sweepEveryMs }: Timing,
  posts: readonly Post[],
): Omit<GuildPlan, "version"> {
  const isUnchanged =
    before.version > 0 && changes.inserts.length + changes.updates.length + changes.removes.length === 0;
  const isTruncatedAsBefore = (before.occurrencesThrough !== undefined) === isTruncated;
  const mayStay = isUnchanged && isTruncatedAsBefore && before.replanAt > now && before.requests === undefined;
  const occurrencesThrough = isTruncated ? through : undefined;
  if (end === undefined) {
    const isSame = before.bounded === undefined && Math.abs(through - before.plannedThrough) < horizonMs / NEAR_PART;
    if (mayStay && isSame) return before;
    return { plannedThrough: through, replanAt: now + (through - now) / 2, bounded: undefined, occurrencesThrough };
  }
  const isSame = before.bounded !== undefined && comparePositions(end, before.bounded.end) === 0;
  if (mayStay && isSame) return before;
  const plannedThrough = Math.min(through, end.at);
  const bounded = boundedPlan(before.bounded, end, now);
  // The first post that is due makes room, and its sender continues the plan. `replanAt` is for a sender that vanished.
  const firstDueAt = Math.min(...posts.filter(isOpen).map(({ dueAt }) => dueAt));
  const replanAt = Math.min(Math.max(now, firstDueAt) + sweepEveryMs, now + (through - now) / 2);
  return { plannedThrough, replanAt, bounded, occurrencesThrough };
}

function boundedPlan(before: BoundedPlan | undefined, end: Position, now: EpochMs): BoundedPlan {
  if (before === undefined) return { end, farthestEnd: end, recordedThrough: 0 };
  const farthestEnd = comparePositions(end, before.farthestEnd) > 0 ? end : before.farthestEnd;
  return { end, farthestEnd, recordedThrough: now };
}
