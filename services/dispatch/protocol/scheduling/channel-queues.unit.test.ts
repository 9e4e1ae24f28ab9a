import { beforeEach, describe, expect, test } from "@jest/globals";
import { type ChannelQueues, newChannelQueues } from "./channel-queues.ts";
import type { DueEntry } from "./due-entry.ts";
import { newWaitRecords, type WaitRecords } from "../wait-records.ts";

let entries = 0;

function entry(channel: string, { guildId = "1", priority = "own", deadline = 1_000 } = {}): DueEntry {
  entries += 1;
  return { guildId, post: { id: `post ${entries}`, channel, dueAt: 0 }, priority, deadline } as DueEntry;
}

describe("the lines of channels", () => {
  let waits: Record<string, number>;
  let through: DueEntry[];
  let isHalfOpen: boolean;
  let isStopped: boolean;
  let waitRecords: WaitRecords;
  let lines: ChannelQueues;

  beforeEach(() => {
    waits = {};
    isHalfOpen = false;
    isStopped = false;
    waitRecords = newWaitRecords({ now: () => 0 }, () => []);
    through = [];
    lines = newChannelQueues(
      { waitMs: (channel) => waits[channel] ?? 0, isStopped: () => isStopped, isHalfOpen: () => isHalfOpen },
      waitRecords,
      (each) => void through.push(each),
    );
  });

  test("one post of a channel at a time, in the order in which they came; other channels don't wait for it", () => {
    const [a1, a2, a3, b1] = [entry("a"), entry("a"), entry("a"), entry("b")];
    for (const each of [a1, a2, a3, b1]) lines.enqueue(each, 0);
    expect(through).toEqual([a1, b1]);
    lines.finish(a1, 1);
    lines.finish(b1, 1);
    lines.finish(a2, 2);
    expect(through).toEqual([a1, b1, a2, a3]);
    lines.finish(a3, 3);
    lines.enqueue(a1, 4);
    expect(through).toHaveLength(5);
  });

  test("a guild that names another's channel holds up itself alone", () => {
    const [a1, a2, other] = [entry("a"), entry("a"), entry("a", { guildId: "2" })];
    for (const each of [a1, a2, other]) lines.enqueue(each, 0);
    expect(through).toEqual([a1, other]);
  });

  test("while a channel is limited nothing of it goes through, and then one", () => {
    waits = { a: 50 };
    const [one, two] = [entry("a"), entry("a")];
    lines.enqueue(one, 100);
    lines.enqueue(two, 110);
    expect([through, lines.nextOpenAt()]).toEqual([[], 150]);
    lines.releaseOpen(149);
    expect(through).toEqual([]);
    waits = {};
    lines.releaseOpen(150);
    expect([through, lines.nextOpenAt()]).toEqual([[one], undefined]);
  });

  test("a limit that has grown meanwhile is waited for anew", () => {
    waits = { a: 50 };
    lines.enqueue(entry("a"), 100);
    waits = { a: 30 };
    lines.releaseOpen(150);
    expect([through, lines.nextOpenAt()]).toEqual([[], 180]);
  });

  test("what is on time does not wait for what is late, whose turn may be long before it begins", () => {
    const [late, alsoLate, onTime] = [entry("a", { priority: "late" }), entry("a", { priority: "late" }), entry("a")];
    for (const each of [late, alsoLate, onTime]) lines.enqueue(each, 0);
    expect(through).toEqual([late, onTime]);
  });

  test("what is past its deadline is let through at once, whatever the limit, and keeps nobody from his turn", () => {
    const [first, over, alsoOver, next] = [
      entry("a"),
      entry("a", { deadline: 20 }),
      entry("a", { deadline: 20 }),
      entry("a"),
    ];
    for (const each of [first, over, alsoOver, next]) lines.enqueue(each, 0);
    waits = { a: 500 };
    lines.finish(first, 21);
    expect(through).toEqual([first, over, alsoOver]);
    lines.finish(over, 22);
    expect(through).toHaveLength(3);
    waits = {};
    lines.releaseOpen(521);
    expect(through).toEqual([first, over, alsoOver, next]);
  });

  test("a limit that is longer than a post has time is left at its deadline", () => {
    waits = { a: 5_000 };
    const hopeless = entry("a", { deadline: 40 });
    lines.enqueue(hopeless, 0);
    expect(lines.nextOpenAt()).toBe(41);
    lines.releaseOpen(41);
    expect(through).toEqual([hopeless]);
  });

  test("after a limit on everything one post of all channels tries, and the others when it is known to be over", () => {
    isHalfOpen = true;
    const [a1, b1, c1] = [entry("a"), entry("b"), entry("c")];
    for (const each of [a1, b1, c1]) lines.enqueue(each, 0);
    lines.releaseOpen(lines.nextOpenAt() ?? 0);
    expect(through).toEqual([a1]);
    lines.finish(a1, 110);
    lines.releaseOpen(lines.nextOpenAt() ?? 0);
    expect(through).toEqual([a1, b1]);
    isHalfOpen = false;
    lines.releaseOpen(lines.nextOpenAt() ?? 0);
    expect(through).toEqual([a1, b1, c1]);
  });

  /** What the post waited for here, in milliseconds. */
  const told = ({ post }: DueEntry) =>
    Object.fromEntries(waitRecords.totals(post).waits.map(({ cause, ms }) => [cause, ms]));

  test("a post knows how long it waited for its channel's limit, and how long for others of its channel", () => {
    const [first, next] = [entry("a"), entry("a")];
    waits = { a: 50 };
    lines.enqueue(first, 0);
    lines.enqueue(next, 0);
    waits = {};
    lines.releaseOpen(50);
    waits = { a: 30 };
    lines.finish(first, 60);
    waits = {};
    lines.releaseOpen(90);
    expect([told(first), told(next)]).toEqual([{ CHANNEL_LIMIT: 50 }, { CHANNEL_LIMIT: 80, CHANNEL_QUEUE: 10 }]);
  });

  test("a post that comes while its channel is limited waited for the rest of the limit alone", () => {
    const [first, next] = [entry("a"), entry("a")];
    waits = { a: 50 };
    lines.enqueue(first, 0);
    const late = { ...next, post: { ...next.post, dueAt: 40 } };
    lines.enqueue(late, 40);
    waits = {};
    lines.releaseOpen(50);
    lines.finish(first, 55);
    expect(told(late)).toEqual({ CHANNEL_LIMIT: 10, CHANNEL_QUEUE: 5 });
  });

  test("a limit on everything is told from the channel's own", () => {
    const [only] = [entry("a")];
    waits = { a: 50 };
    isStopped = true;
    lines.enqueue(only, 0);
    waits = {};
    lines.releaseOpen(50);
    expect(told(only)).toEqual({ RECEIVER_LIMIT: 50 });
  });
});
