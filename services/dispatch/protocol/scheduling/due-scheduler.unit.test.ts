import { describe, expect, test } from "@jest/globals";
import type { Post } from "../../domain/post/post.ts";
import { rankOf } from "../../domain/post/rendezvous-rank.ts";
import { newDueScheduler } from "./due-scheduler.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newWaitRecords } from "../wait-records.ts";

const NOW = 1_000_000;
const PLANNED = {
  id: "p",
  guildId: "1",
  sink: "log",
  state: "planned",
  wakeAt: NOW,
  dueAt: NOW,
  deadline: NOW + 60_000,
  fence: 0,
} as Post;

interface Started {
  readonly post: Post;
  readonly end: (isKnown?: boolean) => void;
  readonly fail: () => void;
}

/** A scheduler whose reads are answered by the test. */
function schedulerWithSlowReads({ isStarted = true, all = ["one"] } = {}) {
  const time = { now: NOW };
  const wakers: (() => void)[] = [];
  const polls: ((posts: readonly Post[]) => void)[] = [];
  const finds: { readonly id: string; readonly respond: (row: Post | Error) => void }[] = [];
  const started: Started[] = [];
  const ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms: number, wake: () => void) {
        if (ms === STANDARD_TIMING.rereadAfterMs) wakers.push(wake);
        return () => undefined;
      },
    },
    store: {
      postsWaking: () => new Promise<readonly Post[]>((resolve) => polls.push(resolve)),
      find: ({ id }: Pick<Post, "id">) =>
        new Promise<Post | null>((resolve, reject) => {
          finds.push({ id, respond: (row) => (row instanceof Error ? reject(row) : resolve(row)) });
        }),
    },
    replicas: { self: "one", all: () => all },
    sinks: [],
    reports: { waited: () => undefined, operationFailed: () => undefined },
  } as unknown as Ports;
  const work = (entry: { readonly post: Post }) =>
    new Promise<boolean>((resolve, reject) => {
      started.push({ post: entry.post, end: (isKnown = true) => resolve(isKnown), fail: reject });
    });
  const scheduler = newDueScheduler(
    ports,
    STANDARD_TIMING,
    newLifecycle(ports),
    () => undefined,
    newWaitRecords(ports.clock, () => []),
    work,
  );
  if (isStarted) scheduler.start();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Lets the delay before a reread pass. */
  const passRereadDelay = async () => {
    await settle();
    for (const wake of wakers.splice(0)) wake();
    await settle();
  };
  return { scheduler, polls, finds, started, settle, passRereadDelay, time };
}

describe("the due scheduler", () => {
  test("does not try a post again that a read returned as it was before its claim", async () => {
    const { scheduler, polls, started, settle } = schedulerWithSlowReads();
    scheduler.add([PLANNED]);
    started[0]?.end();
    await settle();
    expect(scheduler.inWork).toBe(0);
    polls[0]?.([PLANNED]);
    await settle();
    expect(started).toHaveLength(1);
  });

  test("does not try a post again that was in work when the read began", async () => {
    const { scheduler, polls, started, settle } = schedulerWithSlowReads({ isStarted: false });
    scheduler.add([PLANNED]);
    scheduler.start();
    started[0]?.end();
    await settle();
    polls[0]?.([PLANNED]);
    await settle();
    expect(started).toHaveLength(1);
  });

  test("tries a post again that returned as a new version", async () => {
    const { scheduler, polls, started, settle } = schedulerWithSlowReads();
    scheduler.add([PLANNED]);
    started[0]?.end();
    await settle();
    polls[0]?.([{ ...PLANNED, fence: 1 }]);
    await settle();
    expect(started.map(({ post }) => post.fence)).toEqual([0, 1]);
  });

  test.each([
    ["got no response", (work: Started) => work.end(false)],
    ["failed", (work: Started) => work.fail()],
  ])("rereads a post whose work %s, until there is a response", async (_what, end) => {
    const { scheduler, finds, started, settle, passRereadDelay } = schedulerWithSlowReads({ isStarted: false });
    scheduler.add([PLANNED]);
    end(started[0] as Started);
    await passRereadDelay();
    finds[0]?.respond(new Error("lost"));
    await passRereadDelay();
    finds[1]?.respond(PLANNED);
    await settle();
    expect(finds.map(({ id }) => id)).toEqual(["p", "p"]);
    expect(started).toHaveLength(2);
  });

  test.each([
    ["was settled meanwhile", true, { ...PLANNED, state: "sent" as const }],
    ["whose work ended with a known outcome", false, undefined],
  ])("does not try a post again that %s", async (_what, isReread, row) => {
    const { scheduler, finds, started, settle, passRereadDelay } = schedulerWithSlowReads({ isStarted: false });
    scheduler.add([PLANNED]);
    started[0]?.end(!isReread);
    await passRereadDelay();
    expect(finds).toHaveLength(isReread ? 1 : 0);
    if (row !== undefined) finds[0]?.respond(row);
    await settle();
    expect(started).toHaveLength(1);
  });

  test.each([
    ["on time, for a moment", 0, STANDARD_TIMING.rankStepMs],
    ["late, for a while", 20_000, STANDARD_TIMING.lateRankStepMs],
  ])("leaves a post to the replica with the lower rank: %s", (_what, lateMs, leftMs) => {
    const others = Array.from({ length: 20 }, (_, at) => `other ${at}`);
    const first = others.find((other) => rankOf(PLANNED.id, "one", ["one", other]) === 1) as string;
    const { scheduler, started, time } = schedulerWithSlowReads({ isStarted: false, all: ["one", first] });
    scheduler.add([{ ...PLANNED, wakeAt: NOW - lateMs, dueAt: NOW - lateMs }]);
    time.now += leftMs - 1;
    scheduler.add([]);
    expect(started).toEqual([]);
    time.now += 1;
    scheduler.add([]);
    expect(started).toHaveLength(1);
  });
});
