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

interface Begun {
  readonly post: Post;
  readonly end: (isKnown?: boolean) => void;
  readonly fail: () => void;
}

/** An agenda whose looks are answered when the test says so. */
function agendaWithSlowLooks({ isStarted = true, all = ["one"] } = {}) {
  const time = { now: NOW };
  const wakers: (() => void)[] = [];
  const looks: ((posts: readonly Post[]) => void)[] = [];
  const finds: { readonly id: string; readonly answer: (row: Post | Error) => void }[] = [];
  const begun: Begun[] = [];
  const ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms: number, wake: () => void) {
        if (ms === STANDARD_TIMING.rereadAfterMs) wakers.push(wake);
        return () => undefined;
      },
    },
    store: {
      postsWaking: () => new Promise<readonly Post[]>((resolve) => looks.push(resolve)),
      find: (id: string) =>
        new Promise<Post | null>((resolve, reject) => {
          finds.push({ id, answer: (row) => (row instanceof Error ? reject(row) : resolve(row)) });
        }),
    },
    replicas: { self: "one", all: () => all },
    sinks: [],
    reports: { waited: () => undefined, trouble: () => undefined },
  } as unknown as Ports;
  const work = (entry: { readonly post: Post }) =>
    new Promise<boolean>((resolve, reject) => {
      begun.push({ post: entry.post, end: (isKnown = true) => resolve(isKnown), fail: reject });
    });
  const agenda = newDueScheduler(
    ports,
    STANDARD_TIMING,
    newLifecycle(ports),
    () => undefined,
    newWaitRecords(ports.clock, () => []),
    work,
  );
  if (isStarted) agenda.start();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Lets what waits to look again do so. */
  const passLookAgain = async () => {
    await settle();
    for (const wake of wakers.splice(0)) wake();
    await settle();
  };
  return { agenda, looks, finds, begun, settle, passLookAgain, time };
}

describe("the agenda", () => {
  test("what a look saw before a post was claimed is not tried again", async () => {
    const { agenda, looks, begun, settle } = agendaWithSlowLooks();
    agenda.add([PLANNED]);
    begun[0]?.end();
    await settle();
    expect(agenda.inWork).toBe(0);
    looks[0]?.([PLANNED]);
    await settle();
    expect(begun).toHaveLength(1);
  });

  test("nor what was in work when the look began", async () => {
    const { agenda, looks, begun, settle } = agendaWithSlowLooks({ isStarted: false });
    agenda.add([PLANNED]);
    agenda.start();
    begun[0]?.end();
    await settle();
    looks[0]?.([PLANNED]);
    await settle();
    expect(begun).toHaveLength(1);
  });

  test("a post that has come back as another version is", async () => {
    const { agenda, looks, begun, settle } = agendaWithSlowLooks();
    agenda.add([PLANNED]);
    begun[0]?.end();
    await settle();
    looks[0]?.([{ ...PLANNED, fence: 1 }]);
    await settle();
    expect(begun.map(({ post }) => post.fence)).toEqual([0, 1]);
  });

  test.each([
    ["got no answer", (work: Begun) => work.end(false)],
    ["failed", (work: Begun) => work.fail()],
  ])("a post whose work %s is looked at again by itself, until there is an answer", async (_what, end) => {
    const { agenda, finds, begun, settle, passLookAgain } = agendaWithSlowLooks({ isStarted: false });
    agenda.add([PLANNED]);
    end(begun[0] as Begun);
    await passLookAgain();
    finds[0]?.answer(new Error("lost"));
    await passLookAgain();
    finds[1]?.answer(PLANNED);
    await settle();
    expect(finds.map(({ id }) => id)).toEqual(["p", "p"]);
    expect(begun).toHaveLength(2);
  });

  test.each([
    ["is settled by then", true, { ...PLANNED, state: "sent" as const }],
    ["whose work says what became of it", false, undefined],
  ])("not again: a post that %s", async (_what, isAsked, row) => {
    const { agenda, finds, begun, settle, passLookAgain } = agendaWithSlowLooks({ isStarted: false });
    agenda.add([PLANNED]);
    begun[0]?.end(!isAsked);
    await passLookAgain();
    expect(finds).toHaveLength(isAsked ? 1 : 0);
    if (row !== undefined) finds[0]?.answer(row);
    await settle();
    expect(begun).toHaveLength(1);
  });

  test.each([
    ["what is on time for a moment", 0, STANDARD_TIMING.rankStepMs],
    ["what is late for a while", 20_000, STANDARD_TIMING.lateRankStepMs],
  ])("a replica leaves to the first of its post %s", (_what, lateMs, leftMs) => {
    const others = Array.from({ length: 20 }, (_, at) => `other ${at}`);
    const first = others.find((other) => rankOf(PLANNED.id, "one", ["one", other]) === 1) as string;
    const { agenda, begun, time } = agendaWithSlowLooks({ isStarted: false, all: ["one", first] });
    agenda.add([{ ...PLANNED, wakeAt: NOW - lateMs, dueAt: NOW - lateMs }]);
    time.now += leftMs - 1;
    agenda.add([]);
    expect(begun).toEqual([]);
    time.now += 1;
    agenda.add([]);
    expect(begun).toHaveLength(1);
  });
});
