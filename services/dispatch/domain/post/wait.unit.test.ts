import { describe, expect, test } from "@jest/globals";
import { retryCause, type WaitInterval, type Outage, mergeWaits } from "./wait.ts";

const interval = (cause: WaitInterval["cause"], from: number, until: number, detail?: string): WaitInterval => ({
  cause,
  from,
  until,
  detail,
});
const down = (from: number, until: number): Outage => ({ cause: "DISPATCH_DOWN", from, until });
const sums = (intervals: readonly WaitInterval[], outages: readonly Outage[] = []) =>
  mergeWaits(intervals, outages).map(({ cause, ms }) => [cause, ms]);

describe("the waits of a post", () => {
  test("are summed by cause, longest first", () => {
    const intervals = [
      interval("CHANNEL_QUEUE", 0, 2),
      interval("SINK_BUDGET", 2, 10),
      interval("CHANNEL_QUEUE", 10, 15),
    ];
    expect(sums(intervals)).toEqual([
      ["SINK_BUDGET", 8],
      ["CHANNEL_QUEUE", 7],
    ]);
  });

  test("count as the outage's during an outage, whatever their own cause", () => {
    expect(sums([interval("NOT_TAKEN_UP", 0, 100)], [down(20, 80)])).toEqual([
      ["DISPATCH_DOWN", 60],
      ["NOT_TAKEN_UP", 40],
    ]);
  });

  test("have begin and end of the outage, even if the post was due in the middle of it", () => {
    expect(mergeWaits([interval("WORKER_VANISHED", 50, 60)], [down(20, 80)])).toMatchObject([
      { cause: "DISPATCH_DOWN", from: 20, until: 80, ms: 10 },
    ]);
  });

  test("have one sum for each outage, and none for outages before or after", () => {
    const outages = [down(0, 10), down(30, 50), down(60, 90), down(100, 200)];
    expect(
      mergeWaits([interval("NOT_TAKEN_UP", 20, 100)], outages).map(({ cause, from, ms }) => [cause, from, ms]),
    ).toEqual([
      ["NOT_TAKEN_UP", 20, 30],
      ["DISPATCH_DOWN", 60, 30],
      ["DISPATCH_DOWN", 30, 20],
    ]);
  });

  test("continue the sums of earlier attempts", () => {
    const before = mergeWaits([interval("RECEIVER_LIMIT", 0, 30)], []);
    expect(mergeWaits([interval("RECEIVER_LIMIT", 30, 40)], [], before)).toMatchObject([
      { cause: "RECEIVER_LIMIT", ms: 40, from: 0, until: 40 },
    ]);
  });

  test("are at most eight", () => {
    const outages = Array.from({ length: 20 }, (_, at) => down(at * 10, at * 10 + 5 + at / 10));
    const waits = mergeWaits([interval("NOT_TAKEN_UP", 0, 1_000)], outages);
    expect(waits).toHaveLength(8);
    expect(waits[0]?.cause).toBe("NOT_TAKEN_UP");
  });

  test("begin with a downtime of dispatch of a second or more, however long the waits that followed it", () => {
    const intervals = [interval("NOT_TAKEN_UP", 0, 20_000), interval("CHANNEL_LIMIT", 20_000, 80_000)];
    const many = Array.from({ length: 10 }, (_, at): Outage => {
      const from = 30_000 + at * 4_000;
      return { cause: "PROCESS_STALLED", from, until: from + 3_000 };
    });
    expect(sums(intervals, [down(0, 20_000)])).toEqual([
      ["DISPATCH_DOWN", 20_000],
      ["CHANNEL_LIMIT", 60_000],
    ]);
    expect(sums(intervals, [down(0, 1_000), ...many])[0]).toEqual(["DISPATCH_DOWN", 1_000]);
    expect(sums(intervals, [down(0, 999)])[0]?.[0]).toBe("CHANNEL_LIMIT");
  });

  test.each([
    ["HTTP 429 You are being rate limited.", "RECEIVER_LIMIT"],
    ["rate limit", "RECEIVER_LIMIT"],
    ["its event or announcement could not be read", "OWNERS_SILENT"],
    ["its worker vanished while it was sending", "WORKER_VANISHED"],
    ["HTTP 503", "ATTEMPT_FAILED"],
    [undefined, "ATTEMPT_FAILED"],
  ])("for a retry because of %p count as %s", (reason, cause) => {
    expect(retryCause(reason)).toBe(cause);
  });
});
