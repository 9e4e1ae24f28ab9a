import type { GuildId } from "../../../contracts/ids.ts";
import { rankOf } from "../../domain/post/rendezvous-rank.ts";
import type { Replicas } from "../ports.ts";

/** Which of the replicas plans a guild after a change. */
export interface PlanningShares {
  /** 0 for the replica that plans the guild at once; the replica of rank k plans it if those before it do not. */
  rank(guildId: GuildId): number;
  /** Increases when the known replicas change. If it is the same as before, so was each rank that was read in between. */
  generation(): number;
  readonly isShared: boolean;
}

export function newPlanningShares(known: Pick<Replicas, "self" | "all">): PlanningShares {
  const { self } = known;
  let names = "";
  let generation = 0;

  function replicas(): readonly string[] {
    const now = known.all();
    const before = names;
    names = now.toSorted().join(" ");
    if (names !== before) generation += 1;
    return now;
  }

  return {
    rank: (guildId) => rankOf(guildId, self, replicas()),
    generation() {
      replicas();
      return generation;
    },
    get isShared() {
      return replicas().some((replica) => replica !== self);
    },
  };
}
