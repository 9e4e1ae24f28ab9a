import { describe, expect, test } from "@jest/globals";
import { TooManyRequestsDelay } from "./too-many-requests-delay.ts";

/** Whether the promise resolves before the timers of this iteration of the event loop, hence without a timer. */
async function isAtOnce(waiting: Promise<void>): Promise<boolean> {
  return Promise.race([waiting.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, 20, false))]);
}

describe("responses with status 429", () => {
  test("are delayed, and no other responses", async () => {
    const delay = new TooManyRequestsDelay();
    const refused = delay.wait({ status: 429 });
    expect(await isAtOnce(refused)).toBe(false);
    for (const status of [200, 400, 401, 503]) expect(await isAtOnce(delay.wait({ status }))).toBe(true);
    await refused;
  });

  test("are not delayed if a thousand others are delayed already", async () => {
    const delay = new TooManyRequestsDelay();
    const thousand = Array.from({ length: 1_000 }, () => delay.wait({ status: 429 }));
    expect(await isAtOnce(delay.wait({ status: 429 }))).toBe(true);
    await Promise.all(thousand);
    const next = delay.wait({ status: 429 });
    expect(await isAtOnce(next)).toBe(false);
    await next;
  });
});
