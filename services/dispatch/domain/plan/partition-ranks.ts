import { GUILD_PARTITIONS } from "../../../contracts/change-feed.contract.ts";
import { rendezvousOrder } from "../post/rendezvous-rank.ts";

/**
 * The rank of a replica for each partition of the guilds: the replica of rank 0 reads the partition's changes and plans its
 * guilds, and those of higher ranks stand in for it. Every replica computes the same order. It is that of rendezvous hashing, but
 * each replica is the first of as many partitions as any other one, or of one more.
 */
export function partitionRanks(self: string, replicas: readonly string[]): readonly number[] {
  const names = [...new Set([self, ...replicas])].toSorted();
  const firstOf = new Map(names.map((name) => [name, 0]));
  const most = Math.ceil(GUILD_PARTITIONS / names.length);
  return Array.from({ length: GUILD_PARTITIONS }, (_, partition) => {
    const order = rendezvousOrder(`partition ${partition}`, names);
    const first = order.find((name) => (firstOf.get(name) ?? 0) < most) ?? self;
    firstOf.set(first, (firstOf.get(first) ?? 0) + 1);
    return [first, ...order.filter((name) => name !== first)].indexOf(self);
  });
}
