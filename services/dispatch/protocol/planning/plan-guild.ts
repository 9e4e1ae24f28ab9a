import { TOMBSTONE_DAYS } from "../../../contracts/change-feed.contract.ts";
import type { AnnouncementId, EpochMs, GuildId, OccurrenceId } from "../../../contracts/ids.ts";
import { selectCalledOff } from "../../domain/plan/cancelled-before-planned.ts";
import { leadMs } from "../../domain/plan/fire-time.ts";
import { comparePositions, type Position, startOf } from "../../domain/plan/plan-order.ts";
import { planSelected, updated } from "../../domain/plan/plan-posts.ts";
import {
  CANDIDATES_PER_POST,
  type GuildTruth,
  type Plan,
  type PlanChanges,
  type SinksOnSince,
} from "../../domain/plan/plan-input.ts";
import { isOpen, type Post, UNSENT_STATES } from "../../domain/post/post.ts";
import { selectSoonest } from "../../domain/plan/select-soonest.ts";
import type { Ports } from "../ports.ts";
import type { BoundedPlan, GuildPlan } from "../post-store.ts";
import { type OccurrencesRead, readOccurrences } from "./read-occurrences.ts";
import { sourcesOf } from "./plan-sources.ts";
import { storePlan } from "./store-plan.ts";
import type { Timing } from "../timing.ts";

const DAY_MS = 86_400_000;
/** In place of the time of a change: the guild's bounded plan is only to be gone on with. */
export const NOTHING_CHANGED = Infinity;
/** A part of the horizon: what is due sooner is planned at once, in as many plans as it takes. */
const NEAR = 48;
/** Occurrences whose posts are read at a time. */
const OCCURRENCES_AT_ONCE = 500;

/** What a stored plan has come to. */
export interface PlannedGuild {
  /** The guild's open posts that the plan looked at. */
  readonly posts: readonly Post[];
  /** Whether there is more to plan: once there is room (`overdue`: the next of it is due already), or at once. */
  readonly more: "none" | "with room" | "overdue" | "at once";
}

const NOTHING_PLANNED: PlannedGuild = { posts: [], more: "none" };

/**
 * Plans one guild from the truth as it is now; undefined when another plan was stored meanwhile. The version is read
 * before the truth, so a plan that is stored was made from newer truth than the plan that it follows: an older one never
 * overwrites a newer.
 */
export async function planGuild(
  ports: Ports,
  timing: Timing,
  guildId: GuildId,
  since: EpochMs,
  sinksOnSince: SinksOnSince,
): Promise<PlannedGuild | undefined> {
  const { store, owners, clock, reports } = ports;
  const before = await store.guildPlan(guildId);
  const now = clock.now();
  const after = startOfPlan(now, since, before, timing);
  const everyRule = await owners.announcementRules(guildId, after.at);
  const leads = everyRule.filter(({ enabled }) => enabled).map(leadMs);
  if (before.version === 0 && leads.length === 0) return NOTHING_PLANNED;
  const announcements = everyRule.filter(({ until }) => until === undefined);
  const read = await readOccurrences(owners, timing, { guildId, leads, from: after.at, now });
  const { occurrences, windows, through, isShort, lastKnown } = read;
  if (isShort) reports.trouble("plan", { guildId, reason: "too many occurrences" });
  const { graceMs, maxOpenPosts } = timing;
  const { version, bounded: unplanned } = before;
  const sinks = ports.sinks.map(({ name }) => name);
  const given = { guildId, announcements, occurrences, windows, sinks, sinksOnSince, after, through, now };
  const bounds = { graceMs, maxOpenPosts, version, unplanned };
  const selecting = selectSoonest({ ...given, ...bounds }, CANDIDATES_PER_POST * maxOpenPosts);
  const selection = await inSlices(ports, selecting);
  const former = { rules: everyRule.filter(({ until }) => until !== undefined), occurrences: read.former };
  const calledOff = await inSlices(ports, selectCalledOff({ ...given, ...bounds }, former, maxOpenPosts));
  const selected = [...selection.candidates, ...calledOff, ...selection.passedOver.map(({ first }) => first)];
  const ids = [...selected, ...(lastKnown === undefined ? [] : [lastKnown])].map(({ occurrenceId }) => occurrenceId);
  const rules = [...announcements, ...calledOff.map(({ announcement }) => announcement)];
  const pairs = { occurrenceIds: new Set(ids), announcementIds: new Set(rules.map(({ id }) => id)) };
  const existing = await existingPosts(ports, timing, guildId, pairs);
  const truth: GuildTruth = { ...given, ...bounds, calledOff, existing, lastKnown };
  const plan = withCut(await inSlices(ports, planSelected(truth, selection)), read, now, timing);
  const posts = resultOf(truth, plan);
  const sources = await sourcesOf(ports, truth, read.withTexts, posts);
  const { inserts, updates, removes } = plan;
  const reach = reachOf(before, { through, now, isShort }, plan, timing, posts);
  const commit = { guildId, version, inserts, updates, removes, sources, ...reach };
  const unfinished = {
    ...before,
    plannedThrough: version === 0 ? after.at : before.plannedThrough,
    replanAt: version === 0 ? now : Math.min(now, before.replanAt),
  };
  const byId = new Map(posts.map((post) => [post.id, post]));
  const isStored = await storePlan(store, commit, unfinished, (changes) => {
    for (const post of settledBy(changes, byId)) reports.settled(post);
  });
  if (!isStored) return undefined;
  if (isSomethingUnsent(plan)) await store.forgetUnsent(guildId, timing.maxUnsentKept);
  if (plan.cut === undefined) return { posts: posts.filter(isOpen), more: "none" };
  return { posts: posts.filter(isOpen), more: moreOf(plan.cut, plan.isFull, now) };
}

/** Where not even the next hour's occurrences could be read at a time, the plan is gone on with at once. */
function withCut(plan: Plan, { isShort, through }: OccurrencesRead, now: EpochMs, { horizonMs }: Timing): Plan {
  const isNear = isShort && through < now + horizonMs / NEAR;
  return plan.cut === undefined && isNear ? { ...plan, cut: startOf(through) } : plan;
}

/** When a plan that does not hold all of the guild's posts is gone on with. */
function moreOf(cut: Position, isFull: boolean, now: EpochMs): PlannedGuild["more"] {
  if (!isFull) return "at once";
  return cut.at <= now ? "overdue" : "with room";
}

/**
 * From where on the order matters: the grace time back, or the last change, or the end of the plan before, whichever is
 * earliest. So after a pause of the whole service everything that fell into it gets its row. A plan that is only gone on
 * with begins where it ended.
 */
function startOfPlan(now: EpochMs, since: EpochMs, plan: GuildPlan, { graceMs }: Timing): Position {
  if (since === NOTHING_CHANGED && plan.bounded !== undefined) return plan.bounded.cut;
  const through = plan.version === 0 ? Infinity : plan.plannedThrough;
  return startOf(Math.max(now - TOMBSTONE_DAYS * DAY_MS, Math.min(now - graceMs, since, through)));
}

/** Whether the plan calls posts off or skips them. */
function isSomethingUnsent({ inserts, updates }: PlanChanges): boolean {
  return updates.some(({ to }) => to.state !== "planned") || inserts.some(({ state }) => UNSENT_STATES.includes(state));
}

/** Lets others have their turn between two slices. */
async function inSlices<Result>({ timers }: Ports, work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await new Promise<void>((resolve) => void timers.after(0, resolve));
  }
}

/** Occurrences and announcements whose posts a plan needs. */
interface Pairs {
  readonly occurrenceIds: ReadonlySet<OccurrenceId>;
  readonly announcementIds: ReadonlySet<AnnouncementId>;
}

/** The guild's soonest open posts, and all posts of the pairs; of the same post the later reading. */
async function existingPosts(
  { store }: Ports,
  { maxOpenPosts }: Timing,
  guildId: GuildId,
  { occurrenceIds, announcementIds }: Pairs,
): Promise<Post[]> {
  const byId = new Map<string, Post>();
  for (const post of await store.standingPosts(guildId, maxOpenPosts + OCCURRENCES_AT_ONCE)) byId.set(post.id, post);
  const ids = [...occurrenceIds];
  const announcements = [...announcementIds];
  for (let first = 0; first < ids.length; first += OCCURRENCES_AT_ONCE) {
    const posts = await store.postsOf(guildId, ids.slice(first, first + OCCURRENCES_AT_ONCE), announcements);
    for (const post of posts) byId.set(post.id, post);
  }
  return [...byId.values()];
}

/** What the plan itself settles: it calls posts off, and says of others that they came too late. */
function settledBy({ inserts, updates }: PlanChanges, posts: ReadonlyMap<string, Post>): Post[] {
  const changed = [...inserts, ...updates].map(({ id }) => posts.get(id));
  return changed.filter((post) => post !== undefined && !isOpen(post)) as Post[];
}

/** The rows that the changes make or leave planned. */
function resultOf({ existing }: GuildTruth, { inserts, updates, removes }: PlanChanges): Post[] {
  const byId = new Map(existing.map((row) => [row.id, row]));
  for (const post of inserts) byId.set(post.id, post);
  for (const update of updates) {
    const row = byId.get(update.id);
    if (row !== undefined) byId.set(update.id, updated(row, update));
  }
  for (const { id } of removes) byId.delete(id);
  return [...byId.values()];
}

/** How far the plan reaches; stays as it was while it is much the same, so that an unchanged plan writes nothing. */
function reachOf(
  before: GuildPlan,
  { through, now, isShort }: Pick<GuildTruth, "through" | "now"> & Pick<OccurrencesRead, "isShort">,
  { cut, ...changes }: Plan,
  { horizonMs, sweepEveryMs }: Timing,
  posts: readonly Post[],
): Omit<GuildPlan, "version"> {
  const unchanged =
    before.version > 0 && changes.inserts.length + changes.updates.length + changes.removes.length === 0;
  const isAsShort = (before.occurrencesThrough !== undefined) === isShort;
  const mayStay = unchanged && isAsShort && before.replanAt > now;
  const occurrencesThrough = isShort ? through : undefined;
  if (cut === undefined) {
    const isSame = before.bounded === undefined && Math.abs(through - before.plannedThrough) < horizonMs / NEAR;
    if (mayStay && isSame) return before;
    return { plannedThrough: through, replanAt: now + (through - now) / 2, bounded: undefined, occurrencesThrough };
  }
  const isSame = before.bounded !== undefined && comparePositions(cut, before.bounded.cut) === 0;
  if (mayStay && isSame) return before;
  const plannedThrough = Math.min(through, cut.at);
  const bounded = boundedBy(before.bounded, cut, now);
  // Room comes with the first post that is due. Whoever sends it goes on at once; this is for when nobody is left to.
  const firstDueAt = Math.min(...posts.filter(isOpen).map(({ dueAt }) => dueAt));
  const replanAt = Math.min(Math.max(now, firstDueAt) + sweepEveryMs, now + (through - now) / 2);
  return { plannedThrough, replanAt, bounded, occurrencesThrough };
}

function boundedBy(before: BoundedPlan | undefined, cut: Position, now: EpochMs): BoundedPlan {
  if (before === undefined) return { cut, reached: cut, toldThrough: 0 };
  const reached = comparePositions(cut, before.reached) > 0 ? cut : before.reached;
  return { cut, reached, toldThrough: now };
}
