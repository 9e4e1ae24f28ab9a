import { isDeepStrictEqual } from "node:util";
import { partitionOf } from "../../../contracts/change-feed.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { partitionRanks } from "../../domain/plan/partition-ranks.ts";
import type { Replicas } from "../ports.ts";

/** Which of the replicas plans the guilds of a partition. */
export interface PlanningShares {
  /** 0 for the replica that plans the guild; the replica of rank k plans it if those before it do not. */
  rank(guildId: GuildId): number;
  /** The rank for each partition. */
  ranks(): readonly number[];
  /** Another replica has read the changes of a partition of which this one is the first. */
  onReadByOther(): void;
  /**
   * Increases when the known replicas change, or after `onReadByOther`. If it is the same as before, so was each rank that was read
   * in between, and this replica has read every change of its partitions.
   */
  generation(): number;
}

export function newPlanningShares({ self, all }: Pick<Replicas, "self" | "all">): PlanningShares {
  /** The last list, and its names in order. */
  let list: readonly string[] = [];
  let names: readonly string[] = [];
  let current: readonly number[] = partitionRanks(self, []);
  let generation = 0;

  function ranks(): readonly number[] {
    const now = all();
    if (now === list) return current;
    list = now;
    const before = names;
    names = now.toSorted();
    if (isDeepStrictEqual(names, before)) return current;
    generation += 1;
    current = partitionRanks(self, names);
    return current;
  }

  return {
    ranks,
    rank: (guildId) => ranks()[partitionOf(guildId)] ?? 0,
    onReadByOther: () => void (generation += 1),
    generation() {
      ranks();
      return generation;
    },
  };
}
