import { describe, expect, test } from "@jest/globals";
import { LATE_CODES } from "../../../contracts/dispatch.contract.ts";
import { causeOfReason, lateReason } from "./late-reason.ts";
import type { Wait } from "./wait.ts";

const AT = Date.UTC(2030, 0, 4, 19);
const wait = (differs: Partial<Wait>): Wait => ({
  cause: "SINK_QUEUE",
  from: AT,
  until: AT + 90_000,
  ms: 12_340,
  ...differs,
});

describe("the reason of a late post", () => {
  test.each([
    ["DISPATCH_DOWN", "dispatch was not running from 2030-01-04T19:00:00.000Z to 2030-01-04T19:01:30.000Z"],
    [
      "PROCESS_STALLED",
      "the process of dispatch stood still from 2030-01-04T19:00:00.000Z to 2030-01-04T19:01:30.000Z",
    ],
    ["DATABASE", "the database took 12.3 s to respond"],
    ["PLANNED_LATE", "it was planned late: its change was planned 12.3 s after it was stored"],
    ["GUILD_LIMIT", "the guild's limit of open posts delayed it by 12.3 s"],
    ["NOT_TAKEN_UP", "no replica took it up for 12.3 s: other posts were due before it, or the load was too high"],
    ["OTHER_REPLICA", "another replica was to send it, and did not for 12.3 s"],
    ["WORKER_VANISHED", "its worker vanished while it was sending, and had a lease until 2030-01-04T19:01:30.000Z"],
    ["ATTEMPT_FAILED", "sending it failed, and the pauses between attempts took 12.3 s; the last error: HTTP 503"],
    ["OWNERS_SILENT", "the owners of its event and announcement did not respond for 12.3 s"],
    ["RECEIVER_LIMIT", "the receiver's limits delayed it by 12.3 s"],
    ["CHANNEL_LIMIT", "the receiver's limit for its channel delayed it by 12.3 s"],
    ["CHANNEL_QUEUE", "other posts of its channel were sent before it for 12.3 s"],
    ["SINK_BUDGET", "the sink's requests per second were used up by other posts for 12.3 s"],
    ["SINK_QUEUE", "other posts of its sink were being sent for 12.3 s"],
    ["RECEIVER_SLOW", "the receiver took 12.3 s to respond"],
  ] as const)("has a sentence for %s", (cause, sentence) => {
    expect(lateReason([wait({ cause, detail: "HTTP 503" })])).toBe(sentence);
  });

  test("names an outage of the database, and a halted sink, with their begin and end", () => {
    expect(lateReason([wait({ cause: "DATABASE", isOutage: true })])).toBe(
      "the database was out of reach from 2030-01-04T19:00:00.000Z to 2030-01-04T19:01:30.000Z",
    );
    expect(lateReason([wait({ cause: "SINK_HALTED", detail: "HTTP 401" })])).toBe(
      "nothing could be sent through the sink from 2030-01-04T19:00:00.000Z to 2030-01-04T19:01:30.000Z: HTTP 401",
    );
  });

  test("names the longest wait, however short, and two more of at least a second", () => {
    const waits = [
      wait({ cause: "CHANNEL_QUEUE", ms: 9_000 }),
      wait({ cause: "CHANNEL_LIMIT", ms: 3_000 }),
      wait({ cause: "SINK_BUDGET", ms: 1_000 }),
      wait({ cause: "SINK_QUEUE", ms: 1_000 }),
    ];
    expect(lateReason(waits)?.split("; ").map(causeOfReason)).toEqual([
      "CHANNEL_QUEUE",
      "CHANNEL_LIMIT",
      "SINK_BUDGET",
    ]);
    expect(lateReason([wait({ ms: 20 }), wait({ cause: "DATABASE", ms: 10 })])).toBe(
      "other posts of its sink were being sent for 0.0 s",
    );
  });

  test("is undefined without waits", () => {
    expect(lateReason([])).toBeUndefined();
  });

  test("is recognised as its cause, for every cause and for no other reason", () => {
    for (const cause of LATE_CODES) expect(causeOfReason(lateReason([wait({ cause })]) ?? "")).toBe(cause);
    expect(causeOfReason("the event was moved")).toBeUndefined();
    expect(causeOfReason("HTTP 503")).toBeUndefined();
  });
});
