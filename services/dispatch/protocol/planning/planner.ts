import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { LedgerStart } from "../../domain/plan/plan-input.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import { type Backoff, newBackoff } from "./backoff.ts";
import { CONTINUE_PLAN, planGuild, type PlanResult } from "./plan-guild.ts";

/** Plans guilds after changes, a few guilds at a time. */
export interface Planner {
  /**
   * Plans the guild as soon as possible, because something changed at `since` or later. Requests that come before the plan
   * begins share one plan, and a guild that was just planned cools down first. Resolves with the begin of the plan, once a
   * plan that began after this call is stored; or once the guild is left to the sweep because its plan fails while others
   * succeed.
   */
  requestReplan(guildId: GuildId, since: EpochMs): Promise<EpochMs>;
  /** Continues the guild's plan if the plan is bounded: the settled post has made room. */
  onPostSettled(guildId: GuildId): void;
  /** Whether a plan of the guild has failed since one was last stored. */
  hasFailedPlan(guildId: GuildId): boolean;
  readonly waitingGuilds: number;
  /** After the stop: resolves when no plan is running. */
  drained(): Promise<void>;
}

const MAX_CONCURRENT_PLANS = 8;
const RETRY_MS = 500;
/** The cooldown is this many times as long as the plan took: constant changes cost a fifth of the time. */
const COOLDOWN_FACTOR = 4;
const MAX_COOLDOWN_MS = 3_000;
/** For guilds with more posts than may be open, whose plans are the largest. */
const MAX_BOUNDED_COOLDOWN_MS = 5_000;
/**
 * Average rate at which posts that are already due are planned in a guild that has more than may be open. Without it, a
 * guild with 300 000 posts at one instant would use all sinks for its whole grace time.
 */
const OVERDUE_PER_SECOND = 80;
/** Posts that settle within this time make room for one plan. */
const ROOM_DELAY_MS = 1_000;

interface Request {
  since: EpochMs;
  readonly planned: Promise<EpochMs>;
  readonly resolve: (beganAt: EpochMs) => void;
}

/** @param onPlanned - Called with the guild's open posts after each stored plan. */
export function newPlanner(
  ports: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  onPlanned: (posts: readonly Post[]) => void,
): Planner {
  const waiting = new Map<GuildId, Request>();
  const running = new Map<GuildId, Promise<void>>();
  const coolingDown = new Set<GuildId>();
  /** Guilds whose plan does not hold all of their posts. */
  const bounded = new Set<GuildId>();
  /** Bounded guilds whose plan continues within `ROOM_DELAY_MS`. */
  const continuing = new Set<GuildId>();
  let ledgerStart: LedgerStart | undefined;
  const backoff: Backoff = newBackoff(ports);

  function enqueue(guildId: GuildId, since: EpochMs): Request {
    const request = waiting.get(guildId) ?? { since, ...deferred() };
    request.since = Math.min(request.since, since);
    waiting.set(guildId, request);
    return request;
  }

  /** Read once: the sinks do not change while this process runs, and no process runs during a restore. */
  async function readLedgerStart(): Promise<LedgerStart> {
    return (ledgerStart ??= await ports.store.enableSinks(ports.sinks.map(({ name }) => name)));
  }

  function startNext(): void {
    for (const [guildId, request] of waiting) {
      if (lifecycle.isStopping || running.size >= MAX_CONCURRENT_PLANS) return;
      if (running.has(guildId) || coolingDown.has(guildId)) continue;
      waiting.delete(guildId);
      running.set(guildId, run(guildId, request));
    }
  }

  async function run(guildId: GuildId, request: Request): Promise<void> {
    const beganAt = ports.clock.now();
    let pauseMs: number;
    try {
      const stored = await planGuild(ports, timing, guildId, request.since, await readLedgerStart());
      if (stored !== undefined) backoff.succeeded(guildId);
      pauseMs = stored === undefined ? requeue(guildId, request) : finish(guildId, request, stored, beganAt);
    } catch (error) {
      if (!lifecycle.isStopping) ports.reports.operationFailed("plan", { guildId, error });
      pauseMs = backoff.failed(guildId);
      if (await isLeftToSweep(guildId, request.since)) request.resolve(beganAt);
      else requeue(guildId, request);
    }
    void coolDown(guildId, pauseMs);
    running.delete(guildId);
    startNext();
  }

  function finish(guildId: GuildId, request: Request, stored: PlanResult, beganAt: EpochMs): number {
    const { posts, more } = stored;
    onPlanned(posts);
    if (more === "none") bounded.delete(guildId);
    else bounded.add(guildId);
    request.resolve(beganAt);
    if (more === "at once") enqueue(guildId, CONTINUE_PLAN);
    return cooldownMs(stored, beganAt, ports.clock.now());
  }

  /** After a failure, or after a plan of another replica came between, the request stays until a plan is stored. */
  function requeue(guildId: GuildId, { since, resolve }: Request): number {
    void enqueue(guildId, since).planned.then(resolve);
    return RETRY_MS * ports.random.fraction();
  }

  /**
   * If only this guild's plan fails, nothing waits for it any more: its stored plan becomes due for the sweep of any
   * replica, which then plans from `since` on.
   */
  async function isLeftToSweep(guildId: GuildId, since: EpochMs): Promise<boolean> {
    if (!backoff.failsAlone(guildId)) return false;
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

  async function coolDown(guildId: GuildId, forMs: number): Promise<void> {
    coolingDown.add(guildId);
    await lifecycle.sleep(forMs);
    coolingDown.delete(guildId);
    startNext();
  }

  async function continueSoon(guildId: GuildId): Promise<void> {
    continuing.add(guildId);
    await lifecycle.sleep(ROOM_DELAY_MS);
    continuing.delete(guildId);
    if (!lifecycle.isStopping) void requestReplan(guildId, CONTINUE_PLAN);
  }

  function requestReplan(guildId: GuildId, since: EpochMs): Promise<EpochMs> {
    const { planned } = enqueue(guildId, since);
    startNext();
    return planned;
  }

  return {
    requestReplan,
    onPostSettled(guildId) {
      if (bounded.has(guildId) && !continuing.has(guildId)) void continueSoon(guildId);
    },
    hasFailedPlan: (guildId) => backoff.hasFailed(guildId),
    get waitingGuilds() {
      return waiting.size;
    },
    async drained() {
      await Promise.all(running.values());
    },
  };
}

/** Pause between two plans of a guild. */
export function cooldownMs({ posts, more }: PlanResult, beganAt: EpochMs, now: EpochMs): number {
  const max = more === "none" ? MAX_COOLDOWN_MS : MAX_BOUNDED_COOLDOWN_MS;
  const usual = Math.min(max, COOLDOWN_FACTOR * Math.max(0, now - beganAt));
  if (more !== "overdue") return usual;
  const overdue = posts.filter(({ dueAt }) => dueAt <= now).length;
  return Math.max(usual, (overdue / OVERDUE_PER_SECOND) * 1_000);
}

function deferred(): Pick<Request, "planned" | "resolve"> {
  const { promise, resolve } = Promise.withResolvers<EpochMs>();
  return { planned: promise, resolve };
}
