import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Post } from "../domain/post/post.ts";
import type { Outage } from "../domain/post/wait.ts";
import { newWaitRecords, type WaitRecords } from "./wait-records.ts";

const DUE = 1_000_000;
const POST = { id: "p", dueAt: DUE, wakeAt: DUE, attempts: 0, state: "planned" } as Post;
const ON_TIME = { foundAt: DUE - 2_000, readyAt: DUE, rank: 0 };

describe("the recorded waits", () => {
  let now: number;
  let outages: Outage[];
  let waits: WaitRecords;

  beforeEach(() => {
    now = DUE;
    outages = [];
    waits = newWaitRecords({ now: () => now }, () => outages);
  });

  const totals = (post: Post) => waits.totals(post).waits.map(({ cause, ms }) => [cause, ms]);

  test("give no reason within five seconds, and one a millisecond later", () => {
    waits.onTurn(POST, ON_TIME);
    now = DUE + 5_000;
    waits.add(POST, "RECEIVER_SLOW");
    expect(waits.lateReason(POST)).toBeUndefined();
    now += 1;
    expect(waits.lateReason(POST)).toBe("the receiver took 5.0 s to respond");
  });

  test("count the time until a late plan was found as planned late", () => {
    now = DUE + 9_000;
    waits.onTurn({ ...POST, plannedAt: DUE + 8_000 }, { foundAt: now, readyAt: now, rank: 0 });
    expect(totals(POST)).toEqual([["PLANNED_LATE", 9_000]]);
  });

  test("are the guild's limit for a post that a bounded plan had no room for, until it was planned", () => {
    now = DUE + 8_500;
    const post = { ...POST, plannedAt: DUE + 8_000, overLimit: true } as const;
    waits.onTurn(post, { foundAt: now, readyAt: now, rank: 0 });
    expect(totals(post)).toEqual([["GUILD_LIMIT", 8_500]]);
  });

  test("count the time that a replica of higher rank waited for another", () => {
    now = DUE + 12_000;
    waits.onTurn(POST, { foundAt: DUE + 1_000, readyAt: DUE + 11_000, rank: 1 });
    expect(totals(POST)).toEqual([
      ["OTHER_REPLICA", 10_000],
      ["NOT_TAKEN_UP", 2_000],
    ]);
  });

  test("count the lease of a vanished worker", () => {
    now = DUE + 6_200;
    const row = { ...POST, state: "sending", owner: "gone", wakeAt: DUE + 6_100, attempts: 1 } as Post;
    waits.onTurn(row, { foundAt: DUE + 100, readyAt: DUE + 6_100, rank: 0 });
    expect(waits.lateReason(POST)).toMatch(/^its worker vanished while it was sending, and had a lease until /);
  });

  test("continue the waits that another replica stored", () => {
    const waited = {
      until: DUE + 3_000,
      waits: [{ cause: "CHANNEL_QUEUE", from: DUE, until: DUE + 3_000, ms: 3_000 }],
    } as const;
    now = DUE + 8_000;
    const row = { ...POST, waited, attempts: 1, reason: "HTTP 503", wakeAt: DUE + 7_000 };
    waits.onTurn(row, { foundAt: now, readyAt: now, rank: 0 });
    expect(totals(row)).toEqual([
      ["ATTEMPT_FAILED", 4_000],
      ["CHANNEL_QUEUE", 3_000],
      ["NOT_TAKEN_UP", 1_000],
    ]);
    expect(waits.lateReason(row)).toContain("the last error: HTTP 503");
  });

  test("continue for an unclaimed post that is found again, and start again for a post that moved", () => {
    waits.onTurn(POST, ON_TIME);
    now = DUE + 4_000;
    waits.add(POST, "DATABASE");
    now = DUE + 5_000;
    waits.onTurn(POST, { foundAt: now, readyAt: now, rank: 0 });
    expect(totals(POST)).toEqual([
      ["DATABASE", 4_000],
      ["NOT_TAKEN_UP", 1_000],
    ]);
    expect(totals({ ...POST, dueAt: DUE + 1_000 })).toEqual([]);
  });

  test("include an outage that becomes known later", () => {
    now = DUE + 7_000;
    waits.onTurn(POST, { foundAt: now, readyAt: now, rank: 0 });
    outages = [{ cause: "DISPATCH_DOWN", from: DUE - 60_000, until: DUE + 6_500 }];
    expect(waits.lateReason(POST)).toBe(
      "dispatch was not running from 1970-01-01T00:15:40.000Z to 1970-01-01T00:16:46.500Z",
    );
  });

  test("give a reason for every missed post", () => {
    expect(waits.missedReason(POST)).toBe("nothing could post it before its deadline");
    expect(waits.missedReason({ ...POST, reason: "HTTP 503" })).toBe("HTTP 503");
    now = DUE + 300;
    waits.add(POST, "OWNERS_SILENT");
    expect(waits.missedReason(POST)).toBe("the owners of its event and announcement did not respond for 0.3 s");
  });

  test("are removed for settled posts, and bounded for posts of other replicas", () => {
    waits.onTurn(POST, ON_TIME);
    now = DUE + 9_000;
    waits.add(POST, "DATABASE");
    for (let at = 0; at < 50_000; at += 1) waits.recordOf({ ...POST, id: `other ${at}` });
    expect(totals(POST)).toEqual([]);
  });
});
