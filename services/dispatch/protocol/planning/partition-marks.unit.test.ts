import { describe, expect, test } from "@jest/globals";
import { newMemoryPostStore } from "../../../../test/lab/simulator/memory-post-store.ts";
import { GUILD_PARTITIONS } from "../../../contracts/change-feed.contract.ts";
import { partitionRanks } from "../../domain/plan/partition-ranks.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newPartitionMarks } from "./partition-marks.ts";
import { newPlanningShares } from "./planning-shares.ts";

const FEED = "calendar-events";
const { feedEveryMs, planTakeoverMs } = STANDARD_TIMING;
const ALL = Array.from({ length: GUILD_PARTITIONS }, (_, partition) => partition);

/** Two replicas with one database, which may fail; their time is moved by hand. */
function replicas(names: readonly string[] = ["one", "two"]) {
  let now = 1_000_000;
  let fails = false;
  let known = names;
  let readings = 0;
  const memory = newMemoryPostStore(() => now);
  const store = {
    partitionMarks(...asked: Parameters<typeof memory.partitionMarks>) {
      readings += 1;
      return memory.partitionMarks(...asked);
    },
    savePartitionMarks: (...saved: Parameters<typeof memory.savePartitionMarks>) =>
      fails ? Promise.reject(new Error("no response")) : memory.savePartitionMarks(...saved),
  };
  const started = (self: string) => {
    const identity = { self, all: () => known };
    const shares = newPlanningShares(identity);
    const ports = { clock: { now: () => now }, store, replicas: identity } as never;
    const marks = newPartitionMarks(ports, STANDARD_TIMING, FEED, shares);
    return { marks, shares, own: ALL.filter((partition) => shares.ranks()[partition] === 0) };
  };
  return {
    started,
    now: () => now,
    pass: (ms: number) => (now += ms),
    setFails: (does: boolean) => (fails = does),
    setKnown: (...list: string[]) => (known = list),
    readings: () => readings,
    stored: async () => await memory.partitionMarks(FEED),
  };
}

type Marks = ReturnType<ReturnType<typeof replicas>["started"]>["marks"];

async function read(marks: Marks): Promise<readonly number[]> {
  const [near, behind] = [await marks.partitionsOf("near"), await marks.partitionsOf("behind")];
  return [...near, ...behind].toSorted((one, other) => one - other);
}

describe("the partitions that a replica reads", () => {
  test("are shared by two replicas, and are known after the first exchange", async () => {
    const { started } = replicas();
    const [one, two] = [started("one"), started("two")];
    const seen: string[] = [];
    const waiting = read(one.marks).then(() => seen.push("read"));
    await Promise.resolve();
    seen.push("before");
    await one.marks.exchange();
    await two.marks.exchange();
    await waiting;
    expect(seen).toEqual(["before", "read"]);
    expect([...(await read(one.marks)), ...(await read(two.marks))].toSorted((a, b) => a - b)).toEqual(ALL);
  });

  test("are all of them as soon as the other replica has left", async () => {
    const { started, setKnown } = replicas();
    const { marks } = started("one");
    await marks.exchange();
    setKnown("one");
    await expect(read(marks)).resolves.toEqual(ALL);
  });

  test("are all of them when the other one is listed but reads nothing, and its own when it reads again", async () => {
    const { started, pass } = replicas();
    const [one, two] = [started("one"), started("two")];
    await one.marks.exchange();
    for (let ms = 0; ms <= planTakeoverMs + feedEveryMs; ms += feedEveryMs) {
      pass(feedEveryMs);
      await one.marks.exchange();
    }
    await expect(read(one.marks)).resolves.toEqual(ALL);
    // What it saves itself is no sign of the other one.
    one.marks.advance(ALL, { at: 5, id: "e" });
    for (let times = 0; times < 2; times += 1) await one.marks.exchange();
    await expect(read(one.marks)).resolves.toEqual(ALL);
    await two.marks.exchange();
    two.marks.advance(two.own, { at: 6, id: "e" });
    await two.marks.exchange();
    await one.marks.exchange();
    await expect(read(one.marks)).resolves.toEqual(one.own);
  });

  test("stay the same while the other one reads, also if nothing changes", async () => {
    const { started, pass, now } = replicas();
    const [one, two] = [started("one"), started("two")];
    for (let ms = 0; ms <= 4 * planTakeoverMs; ms += feedEveryMs) {
      for (const { marks, own } of [one, two]) {
        await marks.exchange();
        marks.advance(own, { at: 0, id: "" });
        marks.confirm(own, now());
      }
      await expect(read(one.marks)).resolves.toEqual(one.own);
      pass(feedEveryMs);
    }
    expect(one.marks.confirmedAt()).toBeGreaterThan(now() - 15_000);
  });

  test("stay the same after a time in which the replica could not hear of the others", async () => {
    const { started, pass } = replicas();
    const { marks, own } = started("one");
    await marks.exchange();
    pass(10 * planTakeoverMs);
    await marks.exchange();
    await expect(read(marks)).resolves.toEqual(own);
  });

  test("are taken over by the next replica first, and by the one after it if that one does not read either", async () => {
    const names = ["one", "two", "three"];
    const { started, pass } = replicas(names);
    const { marks } = started("one");
    const ranks = partitionRanks("one", names);
    const upTo = (rank: number) => ALL.filter((partition) => (ranks[partition] ?? 0) <= rank);
    const seen: (readonly number[])[] = [];
    for (let ms = 0; ms <= 3 * planTakeoverMs; ms += 1_000) {
      await marks.exchange();
      if (ms % planTakeoverMs === 5_000) seen.push(await read(marks));
      pass(1_000);
    }
    expect(seen).toEqual([upTo(0), upTo(1), upTo(2)]);
  });

  test("are read separately if they are over a minute behind, until they were read to the end", async () => {
    const { started, setKnown } = replicas();
    const [one, two] = [started("one"), started("two")];
    one.marks.advance(one.own, { at: 100_000, id: "e" });
    two.marks.advance(two.own, { at: 39_000, id: "e" });
    await one.marks.exchange();
    await two.marks.exchange();
    await expect(one.marks.partitionsOf("near")).resolves.toEqual(one.own);
    await one.marks.exchange();
    setKnown("one");
    const groups = async () => [await one.marks.partitionsOf("near"), await one.marks.partitionsOf("behind")];
    await expect(groups()).resolves.toEqual([one.own, two.own]);
    one.marks.advance(two.own, { at: 99_000, id: "e" });
    await expect(groups()).resolves.toEqual([one.own, two.own]);
    // A read to the end, whose last page is still planned.
    const release = one.marks.hold(two.own);
    one.marks.readTo(two.own, 100_000);
    await expect(groups()).resolves.toEqual([one.own, two.own]);
    one.marks.confirm(two.own, 0);
    await expect(groups()).resolves.toEqual([one.own, two.own]);
    release();
    await expect(groups()).resolves.toEqual([ALL, []]);
    // Those that are read stay together while the plans of one are stored later.
    one.marks.advance(one.own, { at: 300_000, id: "e" });
    await expect(groups()).resolves.toEqual([ALL, []]);
  });

  test("are read on from where they were read to, and again from the mark once another replica has read them", async () => {
    const { started, setKnown } = replicas();
    const { marks, own } = started("one");
    await marks.exchange();
    await marks.partitionsOf("near");
    expect(marks.unreadFrom(own)).toEqual({ at: 0, isMarked: false });
    marks.advance(own, { at: 5_000, id: "e" });
    expect(marks.unreadFrom(own)).toEqual({ at: 5_000, isMarked: true });
    marks.readTo(own, 9_000);
    expect(marks.unreadFrom(own)).toEqual({ at: 9_000, isMarked: true });
    expect(marks.unreadFrom(ALL)).toEqual({ at: 0, isMarked: false });
    setKnown("one", "two", "three", "four");
    const kept = (await marks.partitionsOf("near")).filter((partition) => own.includes(partition));
    setKnown("one", "two");
    await marks.partitionsOf("near");
    const lost = own.filter((partition) => !kept.includes(partition));
    expect([kept, lost].map((partitions) => marks.unreadFrom(partitions).at)).toEqual([9_000, 5_000]);
  });
});

test("a partition that comes back is in the same group while pages of its last read are planned", async () => {
  const { started, setKnown } = replicas();
  const { marks, own } = started("one");
  marks.advance(ALL, { at: 1_000, id: "e" });
  await marks.exchange();
  await marks.partitionsOf("near");
  const release = marks.hold(own);
  setKnown("one", "two", "three", "four");
  const kept = (await marks.partitionsOf("near")).filter((partition) => own.includes(partition));
  const lost = own.filter((partition) => !kept.includes(partition));
  marks.advance(kept, { at: 100_000, id: "e" });
  setKnown("one", "two");
  await expect(marks.partitionsOf("near")).resolves.toEqual(own);
  setKnown("one", "two", "three", "four");
  release();
  await marks.partitionsOf("near");
  setKnown("one", "two");
  await expect(marks.partitionsOf("behind")).resolves.toEqual(lost);
});

describe("the marks of a replica", () => {
  /** How long after the first reading the mark was last stored, at each of five readings that find nothing new. */
  async function savedOver10s(names: readonly string[]): Promise<readonly number[]> {
    const { started, pass, now, stored } = replicas(names);
    const { marks, own } = started("one");
    const savedAt: number[] = [];
    const began = now();
    for (let times = 0; times < 5; times += 1, pass(feedEveryMs)) {
      marks.advance(own, { at: 7, id: "e7" });
      marks.confirm(own, now());
      await marks.exchange();
      savedAt.push(((await stored()).get(own[0] ?? 0)?.savedAt ?? 0) - began);
    }
    return savedAt;
  }

  test("continue where the replica before it has ended", async () => {
    const { started } = replicas();
    const two = started("two");
    two.marks.advance(two.own, { at: 7, id: "e7" });
    await two.marks.exchange();
    const next = started("three");
    await next.marks.exchange();
    expect(next.marks.unreadFrom(two.own)).toEqual({ at: 7, isMarked: true });
    expect(next.marks.unreadFrom(ALL)).toEqual({ at: 0, isMarked: false });
    expect(next.marks.latest()).toEqual({ at: 7, id: "e7" });
    expect(next.marks.plannedThrough()).toBeUndefined();
  });

  test("are stored by the next exchange after one that failed", async () => {
    const { started, setFails, stored } = replicas(["one"]);
    const { marks } = started("one");
    marks.advance([3], { at: 7, id: "e7" });
    setFails(true);
    await expect(marks.exchange()).rejects.toThrow("no response");
    await expect(stored()).resolves.toEqual(new Map());
    setFails(false);
    await marks.exchange();
    expect((await stored()).get(3)).toMatchObject({ mark: { at: 7, id: "e7" }, by: "one" });
  });

  test("are not stored again at once if nothing has changed", async () => {
    await expect(savedOver10s(["one", "two"])).resolves.toEqual([0, 0, 0, 6_000, 6_000]);
  });

  test("are stored by a replica that is alone only when they move, and read only once", async () => {
    await expect(savedOver10s(["one"])).resolves.toEqual([0, 0, 0, 0, 0]);
    const { started, pass, setKnown, readings } = replicas(["one"]);
    const { marks } = started("one");
    for (let times = 0; times < 5; times += 1, pass(feedEveryMs)) await marks.exchange();
    expect(readings()).toBe(1);
    setKnown("one", "two");
    await marks.exchange();
    expect(readings()).toBe(2);
  });

  test("of another replica make it forget what it knows of its own guilds", async () => {
    const { started } = replicas();
    const [one, two] = [started("one"), started("two")];
    await one.marks.exchange();
    const before = one.shares.generation();
    two.marks.advance(two.own, { at: 7, id: "e7" });
    await two.marks.exchange();
    await one.marks.exchange();
    expect(one.shares.generation()).toBe(before);
    two.marks.advance(one.own, { at: 7, id: "e7" });
    await two.marks.exchange();
    await one.marks.exchange();
    expect(one.shares.generation()).toBeGreaterThan(before);
  });
});

test("the generation of the shares is another one after the known replicas have changed and changed back", () => {
  const { started, setKnown } = replicas();
  const { shares } = started("one");
  const before = shares.generation();
  expect(shares.generation()).toBe(before);
  setKnown("one");
  shares.ranks();
  setKnown("one", "two");
  expect(shares.generation()).toBeGreaterThan(before);
});
