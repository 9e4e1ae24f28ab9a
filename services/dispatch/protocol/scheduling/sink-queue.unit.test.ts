import { describe, expect, test } from "@jest/globals";
import type { DueEntry, Priority } from "./due-entry.ts";
import { newSinkQueue, type SinkQueue } from "./sink-queue.ts";
import { newWaitRecords } from "../wait-records.ts";

const NOW = 1_000;
const NO_LIMITS = { waitMs: () => 0, isStopped: () => false, isHalfOpen: () => false };
const WAITS = newWaitRecords({ now: () => NOW }, () => []);

function entry(id: string, priority: Priority, guildId = id): DueEntry {
  return { guildId, post: { id, channel: "a", dueAt: NOW }, priority, deadline: NOW + 1 } as DueEntry;
}

/** Begins all that may begin, and tells it by id. */
function begun(lane: SinkQueue): string[] {
  const ids: string[] = [];
  for (let next = lane.next(NOW); next !== undefined; next = lane.next(NOW)) {
    lane.begin(next);
    ids.push(next.post.id);
  }
  return ids;
}

describe("what goes first at a sink", () => {
  test("what others were to have done comes after one's own, and what is late after that", () => {
    const lane = newSinkQueue({}, 10, WAITS);
    for (const each of [entry("late", "late"), entry("theirs", "others"), entry("mine", "own")]) lane.put(each, NOW);
    expect(begun(lane)).toEqual(["mine", "theirs", "late"]);
  });

  test("in a channel, too: what others were to have done holds up none of one's own", () => {
    const lane = newSinkQueue({ channelLimits: NO_LIMITS }, 1, WAITS);
    const [first, theirs, mine] = [entry("first", "own"), entry("theirs", "others"), entry("mine", "own")];
    for (const each of [first, theirs, mine]) lane.put(each, NOW);
    expect(begun(lane)).toEqual(["first"]);
    lane.end(first, NOW);
    expect(begun(lane)).toEqual(["mine"]);
    lane.end(mine, NOW);
    expect(begun(lane)).toEqual(["theirs"]);
  });

  test.each(["others", "late"] as const)("of what is %s a fifth at once, however much there is", (priority) => {
    const lane = newSinkQueue({}, 10, WAITS);
    for (let at = 0; at < 9; at += 1) lane.put(entry(`post ${at}`, priority), NOW);
    lane.put(entry("mine", "own"), NOW);
    const [first, ...more] = begun(lane);
    expect([first, more.length]).toEqual(["mine", 2]);
  });

  test("of one guild an eighth at once, however much is due; others begin meanwhile, and its next when one has ended", () => {
    const lane = newSinkQueue({}, 24, WAITS);
    const noisy = Array.from({ length: 9 }, (_, at) => entry(`noisy ${at}`, at % 2 === 0 ? "own" : "others", "noisy"));
    for (const each of [...noisy, entry("quiet", "own")]) lane.put(each, NOW);
    expect(begun(lane)).toEqual(["noisy 0", "quiet", "noisy 2", "noisy 4"]);
    lane.end(noisy[2]!, NOW);
    expect(begun(lane)).toEqual(["noisy 6"]);
  });

  test("what a guild has late takes no place of what it has on time", () => {
    const lane = newSinkQueue({}, 40, WAITS);
    for (let at = 0; at < 8; at += 1) lane.put(entry(`late ${at}`, "late", "1"), NOW);
    expect(begun(lane)).toHaveLength(8);
    for (let at = 0; at < 8; at += 1) lane.put(entry(`on time ${at}`, "own", "1"), NOW);
    expect(begun(lane)).toHaveLength(5);
  });

  test("a further part waits for the budget, and nobody begins before it", () => {
    const lane = newSinkQueue({ requestsPerSecond: 1 }, 10, WAITS);
    for (const each of [entry("first", "own"), entry("next", "own")]) lane.put(each, NOW);
    expect(begun(lane)).toEqual(["first"]);
    lane.spend("first", NOW);
    expect(lane.nextPartWaitMs("first", NOW + 100)).toBe(900);
    expect([begun(lane), lane.nextOpenAt(NOW)]).toEqual([[], NOW + 1_000]);
  });

  test("a post knows how long the budget was spent, and how long others were in work", () => {
    const waits = newWaitRecords({ now: () => NOW }, () => []);
    const lane = newSinkQueue({ requestsPerSecond: 1 }, 1, waits);
    const [first, next] = [entry("first", "own"), entry("next", "own")];
    for (const each of [first, next]) lane.put(each, NOW);
    expect(begun(lane)).toEqual(["first"]);
    lane.spend("first", NOW);
    expect(lane.next(NOW)).toBeUndefined();
    expect(lane.next(NOW + 1_000)).toBeUndefined();
    lane.end(first, NOW + 4_000);
    expect(lane.next(NOW + 4_000)).toBe(next);
    expect(waits.totals(next.post).waits.map(({ cause, ms }) => [cause, ms])).toEqual([
      ["SINK_QUEUE", 3_000],
      ["SINK_BUDGET", 1_000],
    ]);
  });
});
