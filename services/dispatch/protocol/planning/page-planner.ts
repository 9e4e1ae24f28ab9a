import type { Change } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { Feed } from "../feeds.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import type { InFlightPages } from "./in-flight-pages.ts";
import type { PlannedChanges } from "./planned-changes.ts";
import type { Planner } from "./planner.ts";
import type { PlanningShares } from "./planning-shares.ts";
import { newProcessedChanges } from "./processed-changes.ts";

/** Plans the guilds that changed in a page of a feed. */
export interface PagePlanner {
  /** Forgets changes before `startAt`, which are not read again. */
  startRead(startAt: EpochMs): void;
  /** @param since - Plans have the posts that were due from this instant on. */
  select(changes: readonly Change[], since: EpochMs): Promise<SelectedChanges>;
  /**
   * Begins to plan the guilds; waits while many guilds are being planned. The returned promises resolve when all changes of
   * the page are planned, or have a stored request for a plan.
   *
   * @param readAt - When the read's first page was read.
   */
  begin(selected: SelectedChanges, readAt: EpochMs): Promise<readonly Promise<void>[]>;
}

interface SelectedChanges {
  readonly page: readonly Change[];
  readonly since: EpochMs;
  /** The guilds that this replica plans now. */
  readonly guilds: readonly GuildId[];
  /** New changes of guilds that this replica plans first. */
  readonly own: readonly Change[];
  /** New changes of guilds that another replica plans first, by the rank of this replica. */
  readonly others: Readonly<Partial<Record<number, readonly Change[]>>>;
}

export interface PlanningOfChanges {
  readonly planner: Planner;
  readonly shares: PlanningShares;
  readonly planned: PlannedChanges;
}

export function newPagePlanner(
  { store, owners, clock, replicas, reports }: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  feed: Feed,
  { planner, shares, planned }: PlanningOfChanges,
  inFlight: InFlightPages,
): PagePlanner {
  const processed = newProcessedChanges();

  /**
   * Of the guilds that changed, those that have announcements, or had them recently; the others cost one query a page. In the
   * feed of announcements also those that have a plan: its posts may have to be cancelled.
   */
  async function guildsToPlan(changes: readonly Change[]): Promise<readonly GuildId[]> {
    const guilds = [...new Set(changes.map(({ guildId }) => guildId))];
    if (guilds.length === 0) return [];
    const requestedAt = clock.now();
    const withPlan = feed === "announcements" ? store.plannedGuilds(guilds) : [];
    const wanted = new Set((await Promise.all([owners.announcingGuilds(guilds), withPlan])).flat());
    for (const guildId of guilds) if (!wanted.has(guildId)) processed.markPlanned(guildId, requestedAt);
    return guilds.filter((guildId) => wanted.has(guildId));
  }

  /** As `guildsToPlan`; all of them if that is not known. */
  async function guildsOfOthersToPlan(changes: readonly Change[]): Promise<readonly GuildId[]> {
    try {
      return await guildsToPlan(changes);
    } catch (error) {
      reports.operationFailed("plan", { feed, error });
      return [...byGuild(changes).keys()];
    }
  }

  function toPlan(changes: readonly Change[], since: EpochMs): readonly Change[] {
    return withoutPlanned(changes, since).filter(
      (change) => processed.isUnprocessed(change) && !isBeyondHorizon(change),
    );
  }

  function isBeyondHorizon({ guildId, startsAt }: Change): boolean {
    return startsAt !== undefined && planner.isBeyondHorizon(guildId, startsAt);
  }

  async function plan(guildId: GuildId, since: EpochMs): Promise<void> {
    const request = planner.request(guildId, since);
    const requested = request.heldBack.then(async () => (await storeRequest(guildId, since)) ?? request.planned);
    processed.markPlanned(guildId, await Promise.race([request.planned, requested]));
  }

  /** Returns the time before which all changes are covered by the stored request; undefined if it is not stored. */
  async function storeRequest(guildId: GuildId, since: EpochMs): Promise<EpochMs | undefined> {
    const now = clock.now();
    try {
      await store.requestPlan(guildId, since);
      return now;
    } catch (error) {
      reports.operationFailed("request plan", { guildId, error });
      return undefined;
    }
  }

  function tell(changes: readonly Change[], since: EpochMs): void {
    const told = changes.map(({ id, revision }) => ({ feed, id, revision, since }));
    planned.add(told);
    if (shares.isShared && told.length > 0) replicas.tellPlanned(told);
  }

  async function planAndTell(guildId: GuildId, changes: readonly Change[], since: EpochMs): Promise<void> {
    await plan(guildId, since);
    tell(changes, since);
  }

  function withoutPlanned(changes: readonly Change[], since: EpochMs): readonly Change[] {
    return changes.filter((change) => !planned.includes(feed, change, since));
  }

  /**
   * Plans the changes that no replica before this one plans. It waits for a replica that is busy: both would otherwise plan
   * the same guilds after an outage.
   */
  async function planAfterOthers(rank: number, changes: readonly Change[], since: EpochMs): Promise<void> {
    const waitsUntil = clock.now() + timing.planTakeoverMs;
    const plans: Promise<void>[] = [];
    let left = changes;
    for (let pauseMs = rank * timing.planRankStepMs; left.length > 0; pauseMs = timing.planRankStepMs) {
      await lifecycle.sleep(pauseMs);
      const mayWait = clock.now() < waitsUntil && !lifecycle.isStopping;
      const { awaited = [], due = [] } = Object.groupBy(withoutPlanned(left, since), ({ guildId }) =>
        mayWait && shares.isBusyBefore(guildId) ? "awaited" : "due",
      );
      const ofGuilds = byGuild(due);
      for (const guildId of await guildsOfOthersToPlan(due)) {
        await inFlight.waitForGuildSlot();
        const unplanned = withoutPlanned(ofGuilds.get(guildId) ?? [], since);
        if (unplanned.length > 0) plans.push(inFlight.trackGuild(planAndTell(guildId, unplanned, since)));
      }
      left = awaited;
    }
    await Promise.all(plans);
  }

  return {
    startRead: (startAt) => processed.startRead(startAt),
    async select(page, since) {
      const fresh = page.filter((change) => !processed.isKnown(change));
      // The rank of a change is read once: the known replicas may change in between.
      const { 0: own = [], ...others } = Object.groupBy(fresh, ({ guildId }) => shares.rank(guildId));
      return { page, since, guilds: await guildsToPlan(toPlan(own, since)), own, others };
    },
    async begin({ page, since, guilds, own, others }, readAt) {
      const plans = Object.entries(others).map(([rank, changes = []]) =>
        planAfterOthers(Number(rank), toPlan(changes, since), since),
      );
      const ownByGuild = byGuild(own);
      const planning = new Set(guilds);
      tell(
        withoutPlanned(own, since).filter(({ guildId }) => !planning.has(guildId)),
        since,
      );
      for (const guildId of guilds) {
        await inFlight.waitForGuildSlot();
        if (lifecycle.isStopping) break;
        plans.push(inFlight.trackGuild(planAndTell(guildId, ownByGuild.get(guildId) ?? [], since)));
      }
      processed.add(page, readAt);
      return plans;
    },
  };
}

function byGuild(changes: readonly Change[]): ReadonlyMap<GuildId, readonly Change[]> {
  return Map.groupBy(changes, ({ guildId }) => guildId);
}
