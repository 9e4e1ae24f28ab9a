import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { SinksOnSince } from "../../domain/plan/plan-input.ts";
import type { Post } from "../../domain/post/post.ts";
import { type Backoff, newBackoff } from "./backoff.ts";
import type { Life } from "../lifecycle.ts";
import { NOTHING_CHANGED, planGuild, type PlannedGuild } from "./plan-guild.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** Keeps the plans of guilds in step with the truth, a few guilds at a time. */
export interface Planner {
  /**
   * Something of the guild's changed at `since` or later: plans it as soon as may be. Several touches before the
   * planning begins are one, and a guild that was just planned rests before it is planned again. Resolves when a plan
   * that began after this call is stored, with the time at which it began; or when the guild is noted as not planned,
   * because its plan fails while others succeed.
   */
  touch(guildId: GuildId, since: EpochMs): Promise<EpochMs>;
  /** A post of the guild's is settled: where more of its posts wait for room than may be open, some may be planned now. */
  madeRoom(guildId: GuildId): void;
  /** Whether the guild's plan has failed since it was last stored. */
  isBehind(guildId: GuildId): boolean;
  /** Guilds that wait for their turn. */
  readonly waiting: number;
  /** After the stop: resolves when no plan is in work any more. */
  drained(): Promise<void>;
}

/** Guilds that are planned at the same time: the owners and the store answer others meanwhile. */
const AT_ONCE = 8;
const AGAIN_MS = 500;
/** A guild rests so many times as long as its plan took: whoever changes it all the time has a fifth of a plan's work. */
const REST = 4;
const MAX_REST_MS = 3_000;
/** The same for a guild with more posts than may be open, whose plans are the largest. */
const MAX_REST_OF_BOUNDED_MS = 5_000;
/**
 * Of a guild whose next posts are due already and wait for room, so many a second are planned on average: otherwise one
 * guild with 300 000 posts at one instant would take every sink's time for as long as its grace time lasts.
 */
const OVERDUE_PER_SECOND = 80;
/** Posts that settle within so long of each other make room together. */
const ROOM_GATHERS_MS = 1_000;

interface Waiting {
  since: EpochMs;
  readonly planned: Promise<EpochMs>;
  readonly resolve: (beganAt: EpochMs) => void;
}

/** @param planned - Is told of the posts that a stored plan has put or changed. */
export function newPlanner(
  ports: Ports,
  timing: Timing,
  life: Life,
  planned: (posts: readonly Post[]) => void,
): Planner {
  const waiting = new Map<GuildId, Waiting>();
  const running = new Map<GuildId, Promise<void>>();
  const resting = new Set<GuildId>();
  /** Guilds whose plan does not hold all of their posts, and those of them that are planned on in a moment. */
  const bounded = new Set<GuildId>();
  const gathering = new Set<GuildId>();
  let sinksOnSince: SinksOnSince | undefined;
  const backoff: Backoff = newBackoff(ports);

  function join(guildId: GuildId, since: EpochMs): Waiting {
    const entry = waiting.get(guildId) ?? { since, ...deferred() };
    entry.since = Math.min(entry.since, since);
    waiting.set(guildId, entry);
    return entry;
  }

  /** Asked once: what is switched on stays so while this process runs. */
  async function sinksOn(): Promise<SinksOnSince> {
    return (sinksOnSince ??= await ports.store.switchOnSinks(ports.sinks.map(({ name }) => name)));
  }

  function begin(): void {
    for (const [guildId, entry] of waiting) {
      if (life.stopping || running.size >= AT_ONCE) return;
      if (running.has(guildId) || resting.has(guildId)) continue;
      waiting.delete(guildId);
      running.set(guildId, run(guildId, entry));
    }
  }

  async function run(guildId: GuildId, entry: Waiting): Promise<void> {
    const beganAt = ports.clock.now();
    let restMs: number;
    try {
      const stored = await planGuild(ports, timing, guildId, entry.since, await sinksOn());
      if (stored !== undefined) backoff.succeeded(guildId);
      restMs = stored === undefined ? again(guildId, entry) : finish(guildId, entry, stored, beganAt);
    } catch (error) {
      if (!life.stopping) ports.reports.trouble("plan", { guildId, error });
      restMs = backoff.failed(guildId);
      if (await isNoted(guildId, entry.since)) entry.resolve(beganAt);
      else again(guildId, entry);
    }
    void rest(guildId, restMs);
    running.delete(guildId);
    begin();
  }

  function finish(guildId: GuildId, entry: Waiting, stored: PlannedGuild, beganAt: EpochMs): number {
    const { posts, more } = stored;
    planned(posts);
    if (more === "none") bounded.delete(guildId);
    else bounded.add(guildId);
    entry.resolve(beganAt);
    if (more === "at once") join(guildId, NOTHING_CHANGED);
    return restAfter(stored, beganAt, ports.clock.now());
  }

  /** Another plan came between, or something is out of reach: the touch stands until a plan is stored. */
  function again(guildId: GuildId, { since, resolve }: Waiting): number {
    void join(guildId, since).planned.then(resolve);
    return AGAIN_MS * ports.random.fraction();
  }

  /**
   * A guild whose own plan goes on failing is left to the sweep, so that nobody waits for it: the note makes the guild
   * due for a plan that looks as far back as this one would have, on any replica.
   */
  async function isNoted(guildId: GuildId, since: EpochMs): Promise<boolean> {
    if (!backoff.isOnItsOwn(guildId)) return false;
    try {
      const plan = await ports.store.guildPlan(guildId);
      const now = ports.clock.now();
      const through = plan.version === 0 ? now : plan.plannedThrough;
      const reach = { plannedThrough: Math.min(through, since), replanAt: Math.min(plan.replanAt || now, now) };
      const nothing = { inserts: [], updates: [], removes: [], sources: [] };
      return (await ports.store.commitPlan({ ...plan, guildId, ...reach, ...nothing })) !== undefined;
    } catch {
      return false;
    }
  }

  /** What changes meanwhile is planned in one. */
  async function rest(guildId: GuildId, forMs: number): Promise<void> {
    resting.add(guildId);
    await life.sleep(forMs);
    resting.delete(guildId);
    begin();
  }

  async function gather(guildId: GuildId): Promise<void> {
    gathering.add(guildId);
    await life.sleep(ROOM_GATHERS_MS);
    gathering.delete(guildId);
    if (!life.stopping) void touch(guildId, NOTHING_CHANGED);
  }

  function touch(guildId: GuildId, since: EpochMs): Promise<EpochMs> {
    const { planned: whenPlanned } = join(guildId, since);
    begin();
    return whenPlanned;
  }

  return {
    touch,
    madeRoom(guildId) {
      if (bounded.has(guildId) && !gathering.has(guildId)) void gather(guildId);
    },
    isBehind: (guildId) => backoff.hasFailed(guildId),
    get waiting() {
      return waiting.size;
    },
    async drained() {
      await Promise.all(running.values());
    },
  };
}

/** How long a guild rests between two plans, in milliseconds. */
export function restAfter({ posts, more }: PlannedGuild, beganAt: EpochMs, now: EpochMs): number {
  const most = more === "none" ? MAX_REST_MS : MAX_REST_OF_BOUNDED_MS;
  const usual = Math.min(most, REST * Math.max(0, now - beganAt));
  if (more !== "overdue") return usual;
  const overdue = posts.filter(({ dueAt }) => dueAt <= now).length;
  return Math.max(usual, (overdue / OVERDUE_PER_SECOND) * 1_000);
}

function deferred(): Pick<Waiting, "planned" | "resolve"> {
  const { promise, resolve } = Promise.withResolvers<EpochMs>();
  return { planned: promise, resolve };
}
