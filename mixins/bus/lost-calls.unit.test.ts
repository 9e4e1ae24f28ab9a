import { beforeEach, describe, expect, test } from "@jest/globals";
import { KEPT_MS, LostCalls, TakenCalls } from "./lost-calls.ts";

describe("a call that is not heard of", () => {
  let lost: LostCalls;

  beforeEach(() => {
    lost = new LostCalls();
    lost.lookFor("call", ["a", "b", "a"]);
  });

  test("is lost when each replica says that it never came", () => {
    expect(lost.hear("call", "a", "never")).toBe(false);
    expect(lost.hear("call", "b", "never")).toBe(true);
  });

  test("is lost once, however often it is said", () => {
    lost.hear("call", "a", "never");
    lost.hear("call", "b", "never");
    lost.lookFor("call", ["a", "b"]);
    expect(lost.hear("call", "b", "never")).toBe(false);
  });

  test("is not lost when one has it, or says nothing, or a stranger speaks", () => {
    expect(lost.hear("call", "a", "taken")).toBe(false);
    expect(lost.hear("call", "b", "never")).toBe(false);
    expect(lost.hear("call", "stranger", "never")).toBe(false);
  });

  test("is not lost when one has it that was not known yet when it was made", () => {
    lost.hear("call", "new", "taken");
    lost.hear("call", "a", "never");
    expect(lost.hear("call", "b", "never")).toBe(false);
  });

  test("need not be denied a second time by the same replica", () => {
    lost.hear("call", "a", "never");
    lost.lookFor("call", ["a", "b"]);
    expect(lost.hear("call", "b", "never")).toBe(true);
  });

  test("is forgotten when its caller has given up", () => {
    lost.forget("call");
    expect(lost.hear("call", "a", "never")).toBe(false);
  });

  test("is never lost when nobody is known who may have taken it", () => {
    lost.lookFor("other", []);
    expect(lost.hear("other", "a", "never")).toBe(false);
  });
});

describe("a process that is asked after a call", () => {
  let now: number;
  let taken: TakenCalls;

  beforeEach(() => {
    now = 0;
    taken = new TakenCalls(() => now);
    now = KEPT_MS;
  });

  test("gives the answer once more", () => {
    let told = 0;
    taken.take("call");
    taken.settle("call", () => void (told += 1));
    expect([taken.asked("call"), told]).toEqual(["taken", 1]);
  });

  test("says that it has one that is still being done", () => {
    taken.take("call");
    expect(taken.asked("call")).toBe("taken");
  });

  test("refuses from then on what it said never to have come", () => {
    expect(taken.asked("call")).toBe("never");
    expect(taken.take("call")).toBe(false);
    expect(taken.asked("call")).toBe("never");
  });

  test("can't say what never came when it is young: it may have died of the call", () => {
    const young = new TakenCalls(() => now);
    now += KEPT_MS - 1;
    expect(young.asked("call")).toBeUndefined();
    expect(young.take("call")).toBe(true);
  });

  test("remembers for as long as it may be asked, and no longer", () => {
    taken.take("call");
    now += KEPT_MS - 1;
    taken.take("another");
    expect(taken.asked("call")).toBe("taken");
    now += 1;
    taken.take("a third");
    expect(taken.asked("call")).toBe("never");
  });
});
