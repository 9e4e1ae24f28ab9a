import { LRUCache } from "lru-cache";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { LedgerStart } from "../../domain/plan/plan-input.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import { type Backoff, newBackoff } from "./backoff.ts";
import { CONTINUE_PLAN, planGuild, type PlanResult } from "./plan-guild.ts";
import type { PlanningShares } from "./planning-shares.ts";

/** Plans guilds after changes, a few guilds at a time. */
export interface Planner {
  /**
   * Plans the guild as soon as possible, because something changed at `since` or later. Requests that come before the plan
   * begins share one plan, and a guild that was just planned cools down first. Resolves with the begin of the plan, once a
   * plan that began after this call is stored; or once the guild is left to the sweep because its plan fails while others
   * succeed.
   */
  requestReplan(guildId: GuildId, since: EpochMs): Promise<EpochMs>;
  /** As `requestReplan`, with a promise that resolves if the guild is held back. */
  request(guildId: GuildId, since: EpochMs): PlanRequest;
  /**
   * Whether a new event that first starts at `startsAt` leaves the guild's plan as it is, because its posts are due beyond the
   * horizon: a later plan reads it. False unless this process knows the guild's lead times from a plan, has heard of no other
   * change of the guild since, and was the first to plan the guild all the time.
   */
  isBeyondHorizon(guildId: GuildId, startsAt: EpochMs): boolean;
  /** Continues the guild's plan if the plan is bounded: the settled post has made room. */
  onPostSettled(guildId: GuildId): void;
  readonly waitingGuilds: number;
  /** After the stop: resolves when no plan is running. */
  drained(): Promise<void>;
}

const MAX_CONCURRENT_PLANS = 8;
const RETRY_MS = 500;
/** The cooldown is this many times as long as the plan took: constant changes cost a fifth of the time. */
const COOLDOWN_FACTOR = 4;
export const MAX_COOLDOWN_MS = 3_000;
/** For guilds with more posts than may be open, whose plans are the largest. */
const MAX_BOUNDED_COOLDOWN_MS = 5_000;
/**
 * Average rate at which posts that are already due are planned in a guild that has more than may be open. Without it, a
 * guild with 300 000 posts at one instant would use all sinks for its whole grace time.
 */
const OVERDUE_PER_SECOND = 80;
/** One megabyte. Bounded by size, because with `max` lru-cache allocates its tables at full length. */
const KNOWN_LEADS = { maxSize: 10_000, sizeCalculation: () => 1 };
/** Posts that settle within this time make room for one plan. */
const ROOM_DELAY_MS = 1_000;

/** A guild that waits for a plan. */
export interface PlanRequest {
  /** As of `requestReplan`. */
  readonly planned: Promise<EpochMs>;
  /** Resolves if the plan waits for another large plan, or for a long pause of the guild: more than for its turn. */
  readonly heldBack: Promise<void>;
}

/** When a plan began to read its input, and the generation of the shares at that time. */
interface PlanBegin {
  readonly beganAt: EpochMs;
  readonly generation: number;
}

interface Request extends PlanRequest {
  since: EpochMs;
  readonly resolve: (beganAt: EpochMs) => void;
  readonly holdBack: () => void;
}

/** @param onPlanned - Called with the guild's open posts after each stored plan. */
export function newPlanner(
  ports: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  shares: PlanningShares,
  onPlanned: (posts: readonly Post[]) => void,
): Planner {
  const waiting = new Map<GuildId, Request>();
  const running = new Map<GuildId, Promise<void>>();
  /** When the next plan of each guild may begin. */
  const coolingDown = new Map<GuildId, EpochMs>();
  /** Guilds whose last plan was large. */
  const large = new Set<GuildId>();
  /** Guilds whose plan does not hold all of their posts. */
  const bounded = new Set<GuildId>();
  /** Bounded guilds whose plan continues within `ROOM_DELAY_MS`. */
  const continuing = new Set<GuildId>();
  /** The longest lead time in the last plan of each guild that was not requested again since, with the generation of the shares. */
  const longestLeads = new LRUCache<GuildId, { readonly leadMs: number; readonly generation: number }>(KNOWN_LEADS);
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
      if (running.has(guildId) || coolingDown.has(guildId) || waitsForLargePlan(guildId)) continue;
      waiting.delete(guildId);
      running.set(guildId, run(guildId, request));
    }
  }

  /** One large plan at a time: several would take more memory than a process has. */
  function waitsForLargePlan(guildId: GuildId): boolean {
    return large.has(guildId) && running.keys().some((other) => other !== guildId && large.has(other));
  }

  async function run(guildId: GuildId, request: Request): Promise<void> {
    const beganAt = ports.clock.now();
    const generation = shares.generation();
    let pauseMs: number;
    try {
      const size = large.has(guildId) ? "any" : "small";
      const result = await planGuild(ports, timing, guildId, request.since, await readLedgerStart(), size);
      pauseMs = pauseAfter(guildId, request, result, { beganAt, generation });
    } catch (error) {
      if (!lifecycle.isStopping) ports.reports.operationFailed("plan", { guildId, error });
      pauseMs = backoff.failed(guildId);
      if (await leaveToSweep(guildId, request.since)) request.resolve(beganAt);
      else requeue(guildId, request);
    }
    running.delete(guildId);
    void coolDown(guildId, pauseMs);
    startNext();
    reportHeldBack(guildId);
  }

  /** Handles the result of a plan. Returns the pause until the guild's next plan, in milliseconds. */
  function pauseAfter(
    guildId: GuildId,
    request: Request,
    result: PlanResult | "too large" | undefined,
    begin: PlanBegin,
  ): number {
    if (result === undefined) return requeue(guildId, request);
    if (result !== "too large") return finish(guildId, request, result, begin);
    requeue(guildId, request);
    large.add(guildId);
    return 0;
  }

  function finish(guildId: GuildId, request: Request, stored: PlanResult, { beganAt, generation }: PlanBegin): number {
    const { posts, more, isLarge } = stored;
    backoff.succeeded(guildId);
    if (!isLarge) large.delete(guildId);
    onPlanned(posts);
    if (more === "none") bounded.delete(guildId);
    else bounded.add(guildId);
    request.resolve(beganAt);
    if (more === "at once") enqueue(guildId, CONTINUE_PLAN);
    if (!waiting.has(guildId)) longestLeads.set(guildId, { leadMs: stored.longestLeadMs, generation });
    return cooldownMs(stored, beganAt, ports.clock.now());
  }

  /** After a failure, or after a plan of another replica came between, the request stays until a plan is stored. */
  function requeue(guildId: GuildId, { since, resolve, holdBack }: Request): number {
    const { planned, heldBack } = enqueue(guildId, since);
    void planned.then(resolve);
    void heldBack.then(holdBack);
    return RETRY_MS * ports.random.fraction();
  }

  /**
   * If only this guild's plan fails, nothing waits for it any more: a plan from `since` on is left to the sweep of any
   * replica. Resolves to whether it is.
   */
  async function leaveToSweep(guildId: GuildId, since: EpochMs): Promise<boolean> {
    if (!backoff.failsAlone(guildId)) return false;
    return ports.store.requestPlan(guildId, since).then(
      () => true,
      () => false,
    );
  }

  async function coolDown(guildId: GuildId, forMs: number): Promise<void> {
    coolingDown.set(guildId, ports.clock.now() + forMs);
    await lifecycle.sleep(forMs);
    coolingDown.delete(guildId);
    startNext();
    reportHeldBack(guildId);
  }

  function reportHeldBack(guildId: GuildId): void {
    const pauseMs = (coolingDown.get(guildId) ?? 0) - ports.clock.now();
    if (pauseMs > timing.maxPlanWaitMs || waitsForLargePlan(guildId)) waiting.get(guildId)?.holdBack();
  }

  async function continueSoon(guildId: GuildId): Promise<void> {
    continuing.add(guildId);
    await lifecycle.sleep(ROOM_DELAY_MS);
    continuing.delete(guildId);
    if (!lifecycle.isStopping) void requestReplan(guildId, CONTINUE_PLAN);
  }

  function putRequest(guildId: GuildId, since: EpochMs): PlanRequest {
    longestLeads.delete(guildId);
    const requested = enqueue(guildId, since);
    startNext();
    reportHeldBack(guildId);
    return requested;
  }

  function requestReplan(guildId: GuildId, since: EpochMs): Promise<EpochMs> {
    return putRequest(guildId, since).planned;
  }

  return {
    requestReplan,
    request: putRequest,
    isBeyondHorizon(guildId, startsAt) {
      const longest = longestLeads.get(guildId);
      if (longest === undefined || longest.generation !== shares.generation() || shares.rank(guildId) > 0) return false;
      return startsAt >= ports.clock.now() + timing.horizonMs + longest.leadMs;
    },
    onPostSettled(guildId) {
      if (bounded.has(guildId) && !continuing.has(guildId)) void continueSoon(guildId);
    },
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

function deferred(): Omit<Request, "since"> {
  const { promise: planned, resolve } = Promise.withResolvers<EpochMs>();
  const { promise: heldBack, resolve: holdBack } = Promise.withResolvers<void>();
  return { planned, resolve, heldBack, holdBack };
}
