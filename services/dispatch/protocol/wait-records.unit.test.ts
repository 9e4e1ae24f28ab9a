import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Post } from "../domain/post/post.ts";
import type { Outage } from "../domain/post/wait.ts";
import { newWaitRecords, type WaitRecords } from "./wait-records.ts";

const DUE = 1_000_000;
const POST = { id: "p", dueAt: DUE, wakeAt: DUE, attempts: 0, state: "planned" } as Post;
const ON_TIME = { foundAt: DUE - 2_000, readyAt: DUE, rank: 0 };

describe("what a replica knows of a post's waits", () => {
  let now: number;
  let outages: Outage[];
  let waits: WaitRecords;

  beforeEach(() => {
    now = DUE;
    outages = [];
    waits = newWaitRecords({ now: () => now }, () => outages);
  });

  const told = (post: Post) => waits.totals(post).waits.map(({ cause, ms }) => [cause, ms]);

  test("a post that is sent within five seconds has no reason, and one a millisecond later has", () => {
    waits.onTurn(POST, ON_TIME);
    now = DUE + 5_000;
    waits.add(POST, "RECEIVER_SLOW");
    expect(waits.lateReason(POST)).toBeUndefined();
    now += 1;
    expect(waits.lateReason(POST)).toBe("the receiver took 5.0 s to answer");
  });

  test("what was planned after it was due says so, up to the instant when it was found", () => {
    now = DUE + 9_000;
    waits.onTurn({ ...POST, plannedAt: DUE + 8_000 }, { foundAt: now, readyAt: now, rank: 0 });
    expect(told(POST)).toEqual([["PLANNED_LATE", 9_000]]);
  });

  test("a replica that comes second tells how long it left the post to the first", () => {
    now = DUE + 12_000;
    waits.onTurn(POST, { foundAt: DUE + 1_000, readyAt: DUE + 11_000, rank: 1 });
    expect(told(POST)).toEqual([
      ["OTHER_REPLICA", 10_000],
      ["NOT_TAKEN_UP", 2_000],
    ]);
  });

  test("who takes over a post waited for the lease of its worker", () => {
    now = DUE + 6_200;
    const row = { ...POST, state: "sending", owner: "gone", wakeAt: DUE + 6_100, attempts: 1 } as Post;
    waits.onTurn(row, { foundAt: DUE + 100, readyAt: DUE + 6_100, rank: 0 });
    expect(waits.lateReason(POST)).toMatch(/^its worker vanished while it was sending, and had a lease until /);
  });

  test("what another replica wrote about its attempts is gone on with", () => {
    const waited = {
      until: DUE + 3_000,
      waits: [{ cause: "CHANNEL_QUEUE", from: DUE, until: DUE + 3_000, ms: 3_000 }],
    } as const;
    now = DUE + 8_000;
    const row = { ...POST, waited, attempts: 1, reason: "HTTP 503", wakeAt: DUE + 7_000 };
    waits.onTurn(row, { foundAt: now, readyAt: now, rank: 0 });
    expect(told(row)).toEqual([
      ["ATTEMPT_FAILED", 4_000],
      ["CHANNEL_QUEUE", 3_000],
      ["NOT_TAKEN_UP", 1_000],
    ]);
    expect(waits.lateReason(row)).toContain("the last error: HTTP 503");
  });

  test("a post that is found again, unclaimed, goes on where it was; one that was re-timed begins anew", () => {
    waits.onTurn(POST, ON_TIME);
    now = DUE + 4_000;
    waits.add(POST, "DATABASE");
    now = DUE + 5_000;
    waits.onTurn(POST, { foundAt: now, readyAt: now, rank: 0 });
    expect(told(POST)).toEqual([
      ["DATABASE", 4_000],
      ["NOT_TAKEN_UP", 1_000],
    ]);
    expect(told({ ...POST, dueAt: DUE + 1_000 })).toEqual([]);
  });

  test("an outage that is known only later counts all the same", () => {
    now = DUE + 7_000;
    waits.onTurn(POST, { foundAt: now, readyAt: now, rank: 0 });
    outages = [{ cause: "DISPATCH_DOWN", from: DUE - 60_000, until: DUE + 6_500 }];
    expect(waits.lateReason(POST)).toBe(
      "dispatch was not running from 1970-01-01T00:15:40.000Z to 1970-01-01T00:16:46.500Z",
    );
  });

  test("what is missed has a reason, however little is known", () => {
    expect(waits.missedReason(POST)).toBe("nothing could post it before its deadline");
    expect(waits.missedReason({ ...POST, reason: "HTTP 503" })).toBe("HTTP 503");
    now = DUE + 300;
    waits.add(POST, "OWNERS_SILENT");
    expect(waits.missedReason(POST)).toBe("the owners of its event and announcement did not answer for 0.3 s");
  });

  test("a settled post is forgotten, and what others settle has a bound", () => {
    waits.onTurn(POST, ON_TIME);
    now = DUE + 9_000;
    waits.add(POST, "DATABASE");
    for (let at = 0; at < 50_000; at += 1) waits.recordOf({ ...POST, id: `other ${at}` });
    expect(told(POST)).toEqual([]);
  });
});
