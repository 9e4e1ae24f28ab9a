import type { Announcement } from "../../contracts/announcements.contract.ts";
import { MOST_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { TOMBSTONE_DAYS } from "../../contracts/change-feed.contract.ts";
import { leadMs } from "../domain/fire-time.ts";
import {
  type GuildTruth,
  MOST_POSTS,
  type PlanChanges,
  planPosts,
  updated,
  type Window,
} from "../domain/plan-posts.ts";
import { isOpen, type Post } from "../domain/post.ts";
import type { Ports } from "./ports.ts";
import type { GuildPlan } from "./post-store.ts";
import { sourcesOf } from "./sources.ts";
import type { Timing } from "./timing.ts";

const DAY_MS = 86_400_000;
/** Below this a guild's horizon does not shrink. */
const LEAST_HORIZON_MS = 3_600_000;
/** How far ahead an event that was made after its due instant is looked for in a guild that has too many. */
const NARROW_REACH_MS = 7 * DAY_MS;

/** What was read of a guild, and what has to change for it. */
interface Draft {
  readonly truth: GuildTruth;
  readonly changes: PlanChanges;
}

/**
 * Plans one guild from the truth as it is now: the posts that were put or changed, or undefined when another plan was
 * stored meanwhile. The version is read before the truth, so a plan that is stored was made from newer truth than
 * the plan that it follows: an older one never overwrites a newer.
 */
export async function planGuild(
  ports: Ports,
  timing: Timing,
  guildId: GuildId,
  since: EpochMs,
): Promise<readonly Post[] | undefined> {
  const { store, owners } = ports;
  const plan = await store.guildPlan(guildId);
  const announcements = await owners.announcements(guildId);
  if (plan.version === 0 && !announcements.some(({ enabled }) => enabled)) return [];
  const { truth, changes } = await draft(ports, timing, { guildId, announcements, since, plan });
  const posts = resultOf(truth, changes);
  const sources = await sourcesOf(owners, truth, posts);
  const reach = reachOf(plan, truth, changes, timing);
  const committed = await store.commitPlan({ guildId, version: plan.version, ...changes, ...reach, sources });
  if (!committed) return undefined;
  for (const post of settledBy(changes, posts)) ports.reports.settled(post);
  return posts.filter(isOpen);
}

/** What the plan itself settles: it calls posts off, and says of others that they came too late. */
function settledBy({ inserts, updates }: PlanChanges, posts: readonly Post[]): Post[] {
  const changed = new Set([...inserts, ...updates].map(({ id }) => id));
  return posts.filter((post) => changed.has(post.id) && !isOpen(post));
}

/** Reads and plans, with a nearer horizon while it is too much. */
async function draft(
  ports: Ports,
  timing: Timing,
  guild: { guildId: GuildId; announcements: readonly Announcement[]; since: EpochMs; plan: GuildPlan },
): Promise<Draft> {
  const { guildId, announcements, since, plan } = guild;
  const leads = announcements.filter(({ enabled }) => enabled).map(leadMs);
  const now = ports.clock.now();
  const from = startOfPlan(now, since, plan, timing);
  for (let horizon = timing.horizonMs, narrow = false; ; horizon = narrow ? horizon / 2 : horizon, narrow = true) {
    const last = horizon / 2 < Math.min(LEAST_HORIZON_MS, timing.horizonMs / 4);
    const through = now + horizon;
    const windows = narrow ? narrowWindows(leads, from, through) : wideWindow(leads, from, through);
    const { occurrences, truncated } = await ports.owners.occurrences({ guildId, windows, limit: MOST_ENTRIES });
    if (truncated && !last) continue;
    if (truncated) ports.reports.trouble("plan", { guildId, reason: "too many occurrences" });
    const ids = occurrences.map(({ occurrenceId }) => occurrenceId);
    const existing = await ports.store.postsOf(guildId, ids);
    const seen = truncated ? [] : windows;
    const sinks = ports.sinks.map(({ name }) => name);
    const mostPosts = last ? Infinity : MOST_POSTS;
    const { graceMs } = timing;
    const read = { guildId, announcements, occurrences, windows: seen, existing, sinks };
    const truth = { ...read, from, through, now, graceMs, mostPosts };
    const changes = planPosts(truth);
    if (changes !== "too many") return { truth, changes };
  }
}

/**
 * From when on what is due matters: the grace time back, or the last change, or the end of the plan before, whichever
 * is earliest. So after a pause of the whole service everything that fell into it gets its row.
 */
function startOfPlan(now: EpochMs, since: EpochMs, plan: GuildPlan, { graceMs }: Timing): EpochMs {
  const through = plan.version === 0 ? Infinity : plan.plannedThrough;
  return Math.max(now - TOMBSTONE_DAYS * DAY_MS, Math.min(now - graceMs, since, through));
}

/** All starts up to the longest lead beyond the horizon: an event made late is due at once, however long the lead. */
function wideWindow(leads: readonly number[], from: EpochMs, through: EpochMs): Window[] {
  return [{ from, until: through + Math.max(0, ...leads) }];
}

/** For each lead the starts that are due within the horizon, and those of the next week for events made late. */
function narrowWindows(leads: readonly number[], from: EpochMs, through: EpochMs): Window[] {
  const wanted = [...new Set(leads)].map((lead) => ({ from: from + lead, until: through + lead }));
  wanted.push({ from, until: from + Math.min(NARROW_REACH_MS, Math.max(60_000, ...leads)) });
  return wanted.sort((one, other) => one.from - other.from).reduce<Window[]>(merge, []);
}

function merge(merged: Window[], next: Window): Window[] {
  const last = merged.at(-1);
  if (last === undefined || next.from > last.until) return [...merged, next];
  return [...merged.slice(0, -1), { from: last.from, until: Math.max(last.until, next.until) }];
}

/** The rows that the changes make or leave planned. */
function resultOf({ existing }: GuildTruth, { inserts, updates }: PlanChanges): Post[] {
  const byId = new Map(existing.map((row) => [row.id, row]));
  for (const post of inserts) byId.set(post.id, post);
  for (const update of updates) {
    const row = byId.get(update.id);
    if (row !== undefined) byId.set(update.id, updated(row, update));
  }
  return [...byId.values()];
}

/** How far the plan reaches; stays as it was while it is much the same, so that an unchanged plan writes nothing. */
function reachOf(
  plan: GuildPlan,
  { through, now }: GuildTruth,
  { inserts, updates }: PlanChanges,
  { horizonMs }: Timing,
): Pick<GuildPlan, "plannedThrough" | "replanAt"> {
  const unchanged = plan.version > 0 && inserts.length === 0 && updates.length === 0;
  if (unchanged && Math.abs(through - plan.plannedThrough) < horizonMs / 48 && plan.replanAt > now) return plan;
  return { plannedThrough: through, replanAt: now + (through - now) / 2 };
}
