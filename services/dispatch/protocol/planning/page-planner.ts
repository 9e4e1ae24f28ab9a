import type { Change } from "../../../contracts/change-feed.contract.ts";
import { MAX_PLANNED_CHANGES } from "../../../contracts/planned-changes.contract.ts";
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
  select(changes: readonly Change[]): Promise<SelectedChanges>;
  /**
   * Begins to plan the guilds; waits while many guilds are being planned. The returned promises resolve when all changes of
   * the page are planned, or have a stored request for a plan.
   *
   * @param readAt - When the read's first page was read.
   */
  begin(selected: SelectedChanges, since: EpochMs, readAt: EpochMs): Promise<readonly Promise<void>[]>;
}

interface SelectedChanges {
  readonly page: readonly Change[];
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

  function isToPlan(change: Change): boolean {
    return processed.isUnprocessed(change) && !planned.includes(feed, change) && !isBeyondHorizon(change);
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
    if (!shares.isShared) return;
    const told = changes.map(({ id, revision }) => ({ feed, id, revision, since }));
    for (let at = 0; at < told.length; at += MAX_PLANNED_CHANGES) {
      replicas.tellPlanned(told.slice(at, at + MAX_PLANNED_CHANGES));
    }
  }

  async function planAndTell(guildId: GuildId, changes: readonly Change[], since: EpochMs): Promise<void> {
    await plan(guildId, since);
    tell(changes, since);
  }

  /** Plans the changes that no replica before this one has planned in the meantime. */
  async function planAfterOthers(rank: number, changes: readonly Change[], since: EpochMs): Promise<void> {
    await lifecycle.sleep(rank * timing.planRankStepMs);
    const plans: Promise<void>[] = [];
    for (const [guildId, ofGuild] of byGuild(changes.filter((change) => !planned.includes(feed, change)))) {
      await inFlight.waitForGuildSlot();
      const left = ofGuild.filter((change) => !planned.includes(feed, change));
      if (left.length > 0) plans.push(inFlight.trackGuild(planAndTell(guildId, left, since)));
    }
    await Promise.all(plans);
  }

  return {
    startRead: (startAt) => processed.startRead(startAt),
    async select(page) {
      const fresh = page.filter((change) => !processed.isKnown(change));
      // The rank of a change is read once: the known replicas may change in between.
      const { 0: own = [], ...others } = Object.groupBy(fresh, ({ guildId }) => shares.rank(guildId));
      return { page, guilds: await guildsToPlan(own.filter(isToPlan)), own, others };
    },
    async begin({ page, guilds, own, others }, since, readAt) {
      const plans = Object.entries(others).map(([rank, changes = []]) =>
        planAfterOthers(Number(rank), changes.filter(isToPlan), since),
      );
      const ownByGuild = byGuild(own);
      const planning = new Set(guilds);
      tell(
        own.filter((change) => !planning.has(change.guildId) && !planned.includes(feed, change)),
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
