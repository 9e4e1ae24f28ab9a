import type { Change } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { Feed } from "../feeds.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
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
  /** The changed guilds that are to be planned. */
  readonly guilds: readonly GuildId[];
  readonly byGuild: ReadonlyMap<GuildId, readonly Change[]>;
}

export interface PlanningOfChanges {
  readonly planner: Planner;
  readonly shares: PlanningShares;
  readonly planned: PlannedChanges;
}

export function newPagePlanner(
  { store, owners, clock, reports }: Ports,
  lifecycle: Lifecycle,
  feed: Feed,
  { planner, planned }: Omit<PlanningOfChanges, "shares">,
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

  function toPlan(changes: readonly Change[], since: EpochMs): readonly Change[] {
    return changes.filter(
      (change) => !planned.includes(feed, change, since) && processed.isUnprocessed(change) && !isBeyondHorizon(change),
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

  async function planAndRemember(guildId: GuildId, changes: readonly Change[], since: EpochMs): Promise<void> {
    await plan(guildId, since);
    planned.add(changes.map(({ id, revision }) => ({ feed, id, revision, since })));
  }

  return {
    startRead: (startAt) => processed.startRead(startAt),
    async select(page, since) {
      const fresh = page.filter((change) => !processed.isKnown(change));
      const byGuild = Map.groupBy(fresh, ({ guildId }) => guildId);
      return { page, since, guilds: await guildsToPlan(toPlan(fresh, since)), byGuild };
    },
    async begin({ page, since, guilds, byGuild }, readAt) {
      const plans: Promise<void>[] = [];
      for (const guildId of guilds) {
        await inFlight.waitForGuildSlot();
        if (lifecycle.isStopping) break;
        plans.push(inFlight.trackGuild(planAndRemember(guildId, byGuild.get(guildId) ?? [], since)));
      }
      processed.add(page, readAt);
      return plans;
    },
  };
}
