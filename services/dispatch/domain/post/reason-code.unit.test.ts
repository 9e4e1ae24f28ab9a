import { describe, expect, test } from "@jest/globals";
import { reasonCode } from "./reason-code.ts";

describe("the code of a reason", () => {
  test.each([
    ["skipped", "the announcement is suspended until it is updated: HTTP 403 50013", "SUSPENDED"],
    ["failed", "HTTP 404 10003 Unknown Channel", "REFUSED"],
    ["failed", "the channel belongs to another guild", "CHANNEL_UNUSABLE"],
    ["skipped", "more than 5000 posts of the guild were due before it", "TOO_MANY_POSTS"],
    ["missed", "HTTP 429", "RECEIVER_LIMIT"],
    ["missed", "HTTP 503", "ATTEMPT_FAILED"],
    ["missed", "ECONNREFUSED", "ATTEMPT_FAILED"],
    ["unknown", "timed out", "ATTEMPT_FAILED"],
    ["failed", "poison: 2 workers vanished with it", "POISON"],
    ["failed", "it can't be rendered: no zone", "NOT_RENDERED"],
    ["missed", "its event or announcement could not be read", "OWNERS_SILENT"],
    ["missed", "nothing could post it before its deadline", "NOT_TAKEN_UP"],
    ["unknown", "its worker vanished while it was sending", "WORKER_VANISHED"],
    ["cancelled", "the announcement was deleted", "ANNOUNCEMENT_CHANGED"],
    ["cancelled", "the event was moved", "EVENT_CHANGED"],
    ["skipped", "the series was moved after it was due", "EVENT_CHANGED"],
    ["skipped", "the event had been announced_already", "ANNOUNCED_ALREADY"],
    ["skipped", "paused until 2026-12-24T00:00:00Z (announcement)", "PAUSED"],
    ["skipped", "holiday: its worker vanished", "HOLIDAY"],
    ["sent", "HTTP 503", undefined],
    ["failed", undefined, "OTHER"],
    ["failed", "EVERYONE is 'quoted' here", "OTHER"],
  ] as const)("%s because of %p is %p", (state, reason, expected) => {
    expect(reasonCode(reason === undefined ? { state } : { state, reason })).toBe(expected);
  });

  test("of a post that was sent late is the code of its longest wait", () => {
    const reason = "dispatch was not running from A to B; other posts of its sink were being sent for 2.0 s";
    expect(reasonCode({ state: "sent", lateMs: 5_001, reason })).toBe("DISPATCH_DOWN");
    expect(reasonCode({ state: "sent", lateMs: 5_000, reason })).toBeUndefined();
    expect(reasonCode({ state: "missed", reason })).toBe("DISPATCH_DOWN");
  });
});
