import { describe, expect, test } from "@jest/globals";
import { GUILD_PARTITIONS } from "../../../contracts/change-feed.contract.ts";
import { partitionRanks } from "./partition-ranks.ts";

function replicas(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `dispatch.pod-${at}`);
}

/** The ranks of all replicas for each partition. */
function ranksOfAll(names: readonly string[]): readonly (readonly number[])[] {
  const ranks = names.map((name) => partitionRanks(name, names));
  return Array.from({ length: GUILD_PARTITIONS }, (_, partition) => ranks.map((each) => each[partition] ?? -1));
}

describe("the ranks of replicas for the partitions of the guilds", () => {
  test.each([1, 2, 3, 7, 45, 70])("are an order of %i replicas for each partition", (count) => {
    const inOrder = Array.from({ length: count }, (_, rank) => rank);
    for (const ranks of ranksOfAll(replicas(count))) {
      expect(ranks.toSorted((one, other) => one - other)).toEqual(inOrder);
    }
  });

  test.each([2, 3, 7, 45])("make each of %i replicas the first of about as many partitions", (count) => {
    const names = replicas(count);
    const firsts = names.map((name) => partitionRanks(name, names).filter((rank) => rank === 0).length);
    expect(Math.max(...firsts)).toBe(Math.ceil(GUILD_PARTITIONS / count));
    expect(firsts.reduce((one, other) => one + other)).toBe(GUILD_PARTITIONS);
  });

  test("are the same in any order of the names, and for a replica that the list does not have yet", () => {
    const names = replicas(4);
    expect(partitionRanks("dispatch.pod-1", names.toReversed())).toEqual(partitionRanks("dispatch.pod-1", names));
    expect(partitionRanks("dispatch.pod-4", names)).toEqual(partitionRanks("dispatch.pod-4", replicas(5)));
  });

  test("leave most partitions where they are when a replica joins", () => {
    const [before, after] = [replicas(4), replicas(5)];
    const kept = before.flatMap((name) => {
      const ranks = partitionRanks(name, after);
      return partitionRanks(name, before).filter((rank, at) => rank === 0 && ranks[at] === 0);
    });
    expect(kept.length).toBeGreaterThan(GUILD_PARTITIONS / 2);
  });
});
