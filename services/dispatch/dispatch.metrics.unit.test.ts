import { describe, expect, test } from "@jest/globals";
import { NOON } from "../../test/fixtures/dispatch-samples.ts";
import { planLagSeconds } from "./dispatch.metrics.ts";
import { FEEDS } from "./protocol/feeds.ts";

const STARTED_AT = NOON - 90_000;

/** All feeds; the first is planned through `first`, the others through another instant. */
function feeds(first: number | undefined, others: number | undefined = NOON - 1_000) {
  return FEEDS.map((feed, at) => ({
    feed,
    plannedThrough: at === 0 ? first : others,
    waiting: 0,
    unread: [],
  }));
}

describe("the lag of the plan", () => {
  test("is the age of the feed that is furthest behind", () => {
    expect(planLagSeconds(feeds(NOON - 4_000), STARTED_AT, NOON)).toBe(4);
  });

  test("counts from the stored mark before the first complete read, even if the mark is older than the process", () => {
    expect(planLagSeconds(feeds(NOON - 3_600_000), STARTED_AT, NOON)).toBe(3_600);
  });

  test("counts from the process's start while a feed was never read", () => {
    expect(planLagSeconds(feeds(undefined), STARTED_AT, NOON)).toBe(90);
    expect(planLagSeconds(feeds(undefined, undefined), STARTED_AT, NOON)).toBe(90);
  });

  test("is not below 0 if the owner's clock is ahead", () => {
    expect(planLagSeconds(feeds(NOON + 5, NOON + 5), STARTED_AT, NOON)).toBe(0);
  });
});
