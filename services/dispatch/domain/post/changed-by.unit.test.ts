import { describe, expect, test } from "@jest/globals";
import { changedBy } from "./changed-by.ts";
import type { CurrentState } from "../plan/current-state.ts";

const truth = (announcement: number | undefined, occurrence: number | undefined) =>
  ({
    announcement: announcement === undefined ? {} : { changedBy: { at: announcement, requestId: "announcement" } },
    occurrence: occurrence === undefined ? {} : { changedBy: { at: occurrence, requestId: "event" } },
  }) as CurrentState;

describe("the request that a post is because of", () => {
  test.each([
    ["the announcement's, which came later", 2, 1, "announcement"],
    ["the event's, which came later", 1, 2, "event"],
    ["the announcement's, as the event was nobody's", 1, undefined, "announcement"],
    ["the event's, as the announcement was nobody's", undefined, 1, "event"],
    ["none, where both were nobody's", undefined, undefined, undefined],
  ])("is %s", (_which, announcement, occurrence, requestId) => {
    expect(changedBy(truth(announcement, occurrence))?.requestId).toBe(requestId);
  });

  test("is none of what is gone", () => {
    expect(changedBy({ announcement: null, occurrence: null } as CurrentState)).toBeUndefined();
  });
});
