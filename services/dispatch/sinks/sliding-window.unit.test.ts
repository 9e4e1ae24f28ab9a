import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { slidingWindow } from "./sliding-window.ts";

test("a caller that waits as required never exceeds the window, and waits no longer than needed", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), gaps, (most, pauses) => {
      const window = slidingWindow(() => most, 100);
      const sent: number[] = [];
      let now = 0;
      for (const pause of pauses) {
        now += pause;
        const wait = window.waitMs(now);
        const fitsAt = (at: number) => sent.filter((each) => each > at - 100).length < most;
        expect([fitsAt(now + wait), wait > 0 && fitsAt(now + wait - 1)]).toEqual([true, false]);
        now += wait;
        window.add(now);
        sent.push(now);
      }
    }),
  );
});

test("a smaller maximum counts the events before, and a larger one lets more pass at once", () => {
  let most = 4;
  const window = slidingWindow(() => most, 100);
  for (const at of [0, 10, 20, 30]) window.add(at);
  expect(window.waitMs(30)).toBe(70);
  most = 2;
  expect([window.waitMs(30), window.waitMs(119), window.waitMs(120)]).toEqual([90, 1, 0]);
  most = 5;
  expect(window.waitMs(40)).toBe(0);
});
