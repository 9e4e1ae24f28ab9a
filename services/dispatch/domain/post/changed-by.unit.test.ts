import { describe, expect, test } from "@jest/globals";
import { changedBy } from "./changed-by.ts";
import type { CurrentState } from "../plan/current-state.ts";

const state = (announcement: number | undefined, occurrence: number | undefined) =>
  ({
    announcement: announcement === undefined ? {} : { changedBy: { at: announcement, requestId: "announcement" } },
    occurrence: occurrence === undefined ? {} : { changedBy: { at: occurrence, requestId: "event" } },
  }) as CurrentState;

describe("the request that caused a post", () => {
  test.each([
    ["that of the announcement if it came later", 2, 1, "announcement"],
    ["that of the event if it came later", 1, 2, "event"],
    ["that of the announcement if the event has none", 1, undefined, "announcement"],
    ["that of the event if the announcement has none", undefined, 1, "event"],
    ["unknown if neither has one", undefined, undefined, undefined],
  ])("is %s", (_which, announcement, occurrence, requestId) => {
    expect(changedBy(state(announcement, occurrence))?.requestId).toBe(requestId);
  });

  test.each([
    ["the announcement was deleted", { ...state(1, 2), announcement: null }],
    ["the event was deleted", { ...state(2, 1), occurrence: null }],
    ["both were deleted", { announcement: null, occurrence: null }],
  ])("is unknown if %s: the deletion came later, and its request is not known", (_what, present) => {
    expect(changedBy(present)).toBeUndefined();
  });
});
