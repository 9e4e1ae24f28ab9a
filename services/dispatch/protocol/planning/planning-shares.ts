import { isDeepStrictEqual } from "node:util";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import { replicasBefore } from "../../domain/post/rendezvous-rank.ts";
import type { Clock, Replicas } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** Which of the replicas plans a guild after a change. */
export interface PlanningShares {
  /** 0 for the replica that plans the guild at once; the replica of rank k plans it if those before it do not. */
  rank(guildId: GuildId): number;
  /** Another replica says which changes it has planned. */
  onTold(replica: string): void;
  /** Whether a replica of a lower rank for this guild has said within `planBusyMs` which changes it has planned. */
  isBusyBefore(guildId: GuildId): boolean;
  /** Increases when the known replicas change. If it is the same as before, so was each rank that was read in between. */
  generation(): number;
  readonly isShared: boolean;
}

/** @param onJoin - Called after a replica has become known. */
export function newPlanningShares(
  known: Pick<Replicas, "self" | "all">,
  clock: Clock,
  { planBusyMs }: Pick<Timing, "planBusyMs">,
  onJoin: () => void,
): PlanningShares {
  const { self } = known;
  /** When each known replica was last heard of. */
  const toldAt = new Map<string, EpochMs>();
  /** The last list, and its names in order. */
  let list: readonly string[] = [];
  let names: readonly string[] = [];
  let generation = 0;

  function replicas(): readonly string[] {
    const now = known.all();
    if (now === list) return now;
    list = now;
    const before = names;
    names = now.toSorted();
    if (isDeepStrictEqual(names, before)) return now;
    generation += 1;
    for (const replica of toldAt.keys()) if (!now.includes(replica)) toldAt.delete(replica);
    if (now.some((replica) => replica !== self && !before.includes(replica))) onJoin();
    return now;
  }

  return {
    rank: (guildId) => replicasBefore(guildId, self, replicas()).length,
    onTold(replica) {
      if (replicas().includes(replica)) toldAt.set(replica, clock.now());
    },
    isBusyBefore(guildId) {
      const since = clock.now() - planBusyMs;
      return replicasBefore(guildId, self, replicas()).some((replica) => (toldAt.get(replica) ?? -Infinity) >= since);
    },
    generation() {
      replicas();
      return generation;
    },
    get isShared() {
      return replicas().some((replica) => replica !== self);
    },
  };
}
