import { beforeEach, describe, expect, test } from "@jest/globals";
import { type ChannelQueues, newChannelQueues } from "./channel-queues.ts";
import type { DueEntry } from "./due-entry.ts";
import { newWaitRecords, type WaitRecords } from "../wait-records.ts";

let entries = 0;

function entry(channel: string, { guildId = "1", priority = "own", deadline = 1_000 } = {}): DueEntry {
  entries += 1;
  return { guildId, post: { id: `post ${entries}`, channel, dueAt: 0 }, priority, deadline } as DueEntry;
}

describe("a channel's queue", () => {
  let waits: Record<string, number>;
  let released: DueEntry[];
  let isHalfOpen: boolean;
  let isStopped: boolean;
  let waitRecords: WaitRecords;
  let queues: ChannelQueues;

  beforeEach(() => {
    waits = {};
    isHalfOpen = false;
    isStopped = false;
    waitRecords = newWaitRecords({ now: () => 0 }, () => []);
    released = [];
    queues = newChannelQueues(
      { waitMs: (channel) => waits[channel] ?? 0, isStopped: () => isStopped, isHalfOpen: () => isHalfOpen },
      waitRecords,
      (each) => void released.push(each),
    );
  });

  test("releases one post at a time in their order, and other channels do not wait for it", () => {
    const [a1, a2, a3, b1] = [entry("a"), entry("a"), entry("a"), entry("b")];
    for (const each of [a1, a2, a3, b1]) queues.enqueue(each, 0);
    expect(released).toEqual([a1, b1]);
    queues.finish(a1, 1);
    queues.finish(b1, 1);
    queues.finish(a2, 2);
    expect(released).toEqual([a1, b1, a2, a3]);
    queues.finish(a3, 3);
    queues.enqueue(a1, 4);
    expect(released).toHaveLength(5);
  });

  test("of a guild that names another guild's channel delays only that guild", () => {
    const [a1, a2, other] = [entry("a"), entry("a"), entry("a", { guildId: "2" })];
    for (const each of [a1, a2, other]) queues.enqueue(each, 0);
    expect(released).toEqual([a1, other]);
  });

  test("releases no post during the channel's limit, and one after it", () => {
    waits = { a: 50 };
    const [one, two] = [entry("a"), entry("a")];
    queues.enqueue(one, 100);
    queues.enqueue(two, 110);
    expect([released, queues.nextOpenAt()]).toEqual([[], 150]);
    queues.releaseOpen(149);
    expect(released).toEqual([]);
    waits = {};
    queues.releaseOpen(150);
    expect([released, queues.nextOpenAt()]).toEqual([[one], undefined]);
  });

  test("waits again if the limit was extended meanwhile", () => {
    waits = { a: 50 };
    queues.enqueue(entry("a"), 100);
    waits = { a: 30 };
    queues.releaseOpen(150);
    expect([released, queues.nextOpenAt()]).toEqual([[], 180]);
  });

  test("lets posts on time not wait for late posts, which may hold their turn for long", () => {
    const [late, alsoLate, onTime] = [entry("a", { priority: "late" }), entry("a", { priority: "late" }), entry("a")];
    for (const each of [late, alsoLate, onTime]) queues.enqueue(each, 0);
    expect(released).toEqual([late, onTime]);
  });

  test("releases posts past their deadline at once, without taking the turn", () => {
    const [first, over, alsoOver, next] = [
      entry("a"),
      entry("a", { deadline: 20 }),
      entry("a", { deadline: 20 }),
      entry("a"),
    ];
    for (const each of [first, over, alsoOver, next]) queues.enqueue(each, 0);
    waits = { a: 500 };
    queues.finish(first, 21);
    expect(released).toEqual([first, over, alsoOver]);
    queues.finish(over, 22);
    expect(released).toHaveLength(3);
    waits = {};
    queues.releaseOpen(521);
    expect(released).toEqual([first, over, alsoOver, next]);
  });

  test("releases a post at its deadline if the limit is longer", () => {
    waits = { a: 5_000 };
    const hopeless = entry("a", { deadline: 40 });
    queues.enqueue(hopeless, 0);
    expect(queues.nextOpenAt()).toBe(41);
    queues.releaseOpen(41);
    expect(released).toEqual([hopeless]);
  });

  test("releases one post of all channels after a global limit, and the others once the limit is over", () => {
    isHalfOpen = true;
    const [a1, b1, c1] = [entry("a"), entry("b"), entry("c")];
    for (const each of [a1, b1, c1]) queues.enqueue(each, 0);
    queues.releaseOpen(queues.nextOpenAt() ?? 0);
    expect(released).toEqual([a1]);
    queues.finish(a1, 110);
    queues.releaseOpen(queues.nextOpenAt() ?? 0);
    expect(released).toEqual([a1, b1]);
    isHalfOpen = false;
    queues.releaseOpen(queues.nextOpenAt() ?? 0);
    expect(released).toEqual([a1, b1, c1]);
  });

  /** The waits of the post in milliseconds, by cause. */
  const waitsOf = ({ post }: DueEntry) =>
    Object.fromEntries(waitRecords.totals(post).waits.map(({ cause, ms }) => [cause, ms]));

  test("records how long a post waited for the channel's limit and for other posts", () => {
    const [first, next] = [entry("a"), entry("a")];
    waits = { a: 50 };
    queues.enqueue(first, 0);
    queues.enqueue(next, 0);
    waits = {};
    queues.releaseOpen(50);
    waits = { a: 30 };
    queues.finish(first, 60);
    waits = {};
    queues.releaseOpen(90);
    expect([waitsOf(first), waitsOf(next)]).toEqual([{ CHANNEL_LIMIT: 50 }, { CHANNEL_LIMIT: 80, CHANNEL_QUEUE: 10 }]);
  });

  test("records only the rest of the limit for a post that comes during the limit", () => {
    const [first, next] = [entry("a"), entry("a")];
    waits = { a: 50 };
    queues.enqueue(first, 0);
    const late = { ...next, post: { ...next.post, dueAt: 40 } };
    queues.enqueue(late, 40);
    waits = {};
    queues.releaseOpen(50);
    queues.finish(first, 55);
    expect(waitsOf(late)).toEqual({ CHANNEL_LIMIT: 10, CHANNEL_QUEUE: 5 });
  });

  test("records a global limit and the channel's limit separately", () => {
    const [only] = [entry("a")];
    waits = { a: 50 };
    isStopped = true;
    queues.enqueue(only, 0);
    waits = {};
    queues.releaseOpen(50);
    expect(waitsOf(only)).toEqual({ RECEIVER_LIMIT: 50 });
  });
});
