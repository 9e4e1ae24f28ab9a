import { describe, expect, test } from "@jest/globals";
import { reasonClass } from "./reason-class.ts";

describe("the class of a reason", () => {
  test.each([
    ["skipped", "the announcement is suspended until it is updated: HTTP 403 50013", "suspended"],
    ["failed", "HTTP 404 10003 Unknown Channel", "refused"],
    ["failed", "the channel belongs to another guild", "channel can't be used"],
    ["missed", "HTTP 429", "receiver in trouble"],
    ["missed", "HTTP 503", "receiver in trouble"],
    ["missed", "ECONNREFUSED", "receiver in trouble"],
    ["unknown", "timed out", "receiver in trouble"],
    ["failed", "poison: 2 workers vanished with it", "poison"],
    ["failed", "it can't be rendered: no zone", "not rendered"],
    ["missed", "the truth about it could not be had in time", "truth not to be had"],
    ["missed", "nothing could post it before its deadline", "nobody was there"],
    [
      "missed",
      "its turn did not come before its deadline: its channel or its sink takes no more",
      "its turn did not come",
    ],
    ["unknown", "its worker vanished while it was sending", "worker vanished"],
    ["cancelled", "the announcement was deleted", "announcement changed"],
    ["cancelled", "the event was moved", "event changed"],
    ["skipped", "the event had been announced already", "announced already"],
    ["sent", "HTTP 503", ""],
    ["failed", undefined, "other"],
    ["failed", "EVERYONE is 'quoted' here", "other"],
  ] as const)("%s because of %p is %p", (state, reason, expected) => {
    expect(reasonClass(reason === undefined ? { state } : { state, reason })).toBe(expected);
  });
});
