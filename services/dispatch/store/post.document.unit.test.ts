import { expect, test } from "@jest/globals";
import { expiryFields } from "./post.document.ts";

const DAY = 86_400_000;
const at = (day: number) => new Date(day * DAY);

test("a row stays for 30 days after its outcome, its event or the last edit of its message, whichever is latest", () => {
  expect(expiryFields({ startsAt: 1 * DAY })).toEqual({});
  expect(expiryFields({ startsAt: 1 * DAY, settledAt: 2 * DAY })).toEqual({ expiresAt: at(32) });
  expect(expiryFields({ startsAt: 3 * DAY, settledAt: 2 * DAY })).toEqual({ expiresAt: at(33) });
  expect(expiryFields({ startsAt: 3 * DAY, settledAt: 2 * DAY, message: { until: 9 * DAY } })).toEqual({
    expiresAt: at(39),
  });
});
