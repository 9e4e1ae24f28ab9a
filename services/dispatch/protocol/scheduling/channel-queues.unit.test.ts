import { beforeEach, describe, expect, test } from "@jest/globals";
import { type ChannelLines, newChannelLines } from "./channel-queues.ts";
import type { Entry } from "./sink-queue.ts";
import { newWaitRecords, type WaitRecords } from "../wait-records.ts";

let entries = 0;

function entry(channel: string, { guildId = "1", precedence = "own", deadline = 1_000 } = {}): Entry {
  entries += 1;
  return { guildId, post: { id: `post ${entries}`, channel, dueAt: 0 }, precedence, deadline } as Entry;
}

describe("the lines of channels", () => {
  let waits: Record<string, number>;
  let through: Entry[];
  let isOnTrial: boolean;
  let isStopped: boolean;
  let waitRecords: WaitRecords;
  let lines: ChannelLines;

  beforeEach(() => {
    waits = {};
    isOnTrial = false;
    isStopped = false;
    waitRecords = newWaitRecords({ now: () => 0 }, () => []);
    through = [];
    lines = newChannelLines(
      { wait: (channel) => waits[channel] ?? 0, isStopped: () => isStopped, onTrial: () => isOnTrial },
      waitRecords,
      (each) => void through.push(each),
    );
  });

  test("one post of a channel at a time, in the order in which they came; other channels don't wait for it", () => {
    const [a1, a2, a3, b1] = [entry("a"), entry("a"), entry("a"), entry("b")];
    for (const each of [a1, a2, a3, b1]) lines.join(each, 0);
    expect(through).toEqual([a1, b1]);
    lines.leave(a1, 1);
    lines.leave(b1, 1);
    lines.leave(a2, 2);
    expect(through).toEqual([a1, b1, a2, a3]);
    lines.leave(a3, 3);
    lines.join(a1, 4);
    expect(through).toHaveLength(5);
  });

  test("a guild that names another's channel holds up itself alone", () => {
    const [a1, a2, other] = [entry("a"), entry("a"), entry("a", { guildId: "2" })];
    for (const each of [a1, a2, other]) lines.join(each, 0);
    expect(through).toEqual([a1, other]);
  });

  test("while a channel is limited nothing of it goes through, and then one", () => {
    waits = { a: 50 };
    const [one, two] = [entry("a"), entry("a")];
    lines.join(one, 100);
    lines.join(two, 110);
    expect([through, lines.opensAt()]).toEqual([[], 150]);
    lines.open(149);
    expect(through).toEqual([]);
    waits = {};
    lines.open(150);
    expect([through, lines.opensAt()]).toEqual([[one], undefined]);
  });

  test("a limit that has grown meanwhile is waited for anew", () => {
    waits = { a: 50 };
    lines.join(entry("a"), 100);
    waits = { a: 30 };
    lines.open(150);
    expect([through, lines.opensAt()]).toEqual([[], 180]);
  });

  test("what is on time does not wait for what is late, whose turn may be long before it begins", () => {
    const [late, alsoLate, onTime] = [
      entry("a", { precedence: "late" }),
      entry("a", { precedence: "late" }),
      entry("a"),
    ];
    for (const each of [late, alsoLate, onTime]) lines.join(each, 0);
    expect(through).toEqual([late, onTime]);
  });

  test("what is past its deadline is let through at once, whatever the limit, and keeps nobody from his turn", () => {
    const [first, over, alsoOver, next] = [
      entry("a"),
      entry("a", { deadline: 20 }),
      entry("a", { deadline: 20 }),
      entry("a"),
    ];
    for (const each of [first, over, alsoOver, next]) lines.join(each, 0);
    waits = { a: 500 };
    lines.leave(first, 21);
    expect(through).toEqual([first, over, alsoOver]);
    lines.leave(over, 22);
    expect(through).toHaveLength(3);
    waits = {};
    lines.open(521);
    expect(through).toEqual([first, over, alsoOver, next]);
  });

  test("a limit that is longer than a post has time is left at its deadline", () => {
    waits = { a: 5_000 };
    const hopeless = entry("a", { deadline: 40 });
    lines.join(hopeless, 0);
    expect(lines.opensAt()).toBe(41);
    lines.open(41);
    expect(through).toEqual([hopeless]);
  });

  test("after a limit on everything one post of all channels tries, and the others when it is known to be over", () => {
    isOnTrial = true;
    const [a1, b1, c1] = [entry("a"), entry("b"), entry("c")];
    for (const each of [a1, b1, c1]) lines.join(each, 0);
    lines.open(lines.opensAt() ?? 0);
    expect(through).toEqual([a1]);
    lines.leave(a1, 110);
    lines.open(lines.opensAt() ?? 0);
    expect(through).toEqual([a1, b1]);
    isOnTrial = false;
    lines.open(lines.opensAt() ?? 0);
    expect(through).toEqual([a1, b1, c1]);
  });

  /** What the post waited for here, in milliseconds. */
  const told = ({ post }: Entry) =>
    Object.fromEntries(waitRecords.waited(post).waits.map(({ cause, ms }) => [cause, ms]));

  test("a post knows how long it waited for its channel's limit, and how long for others of its channel", () => {
    const [first, next] = [entry("a"), entry("a")];
    waits = { a: 50 };
    lines.join(first, 0);
    lines.join(next, 0);
    waits = {};
    lines.open(50);
    waits = { a: 30 };
    lines.leave(first, 60);
    waits = {};
    lines.open(90);
    expect([told(first), told(next)]).toEqual([{ CHANNEL_LIMIT: 50 }, { CHANNEL_LIMIT: 80, CHANNEL_QUEUE: 10 }]);
  });

  test("a post that comes while its channel is limited waited for the rest of the limit alone", () => {
    const [first, next] = [entry("a"), entry("a")];
    waits = { a: 50 };
    lines.join(first, 0);
    const late = { ...next, post: { ...next.post, dueAt: 40 } };
    lines.join(late, 40);
    waits = {};
    lines.open(50);
    lines.leave(first, 55);
    expect(told(late)).toEqual({ CHANNEL_LIMIT: 10, CHANNEL_QUEUE: 5 });
  });

  test("a limit on everything is told from the channel's own", () => {
    const [only] = [entry("a")];
    waits = { a: 50 };
    isStopped = true;
    lines.join(only, 0);
    waits = {};
    lines.open(50);
    expect(told(only)).toEqual({ RECEIVER_LIMIT: 50 });
  });
});
