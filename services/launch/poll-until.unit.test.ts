import { expect, test } from "@jest/globals";
import { pollUntil } from "./poll-until.ts";

const timeoutError = () => new Error("not in time");

test("an attempt is repeated until it resolves with true", async () => {
  let attempts = 0;
  await pollUntil(async () => (attempts += 1) === 3, { everyMs: 0, timeoutMs: Infinity, timeoutError });
  expect(attempts).toBe(3);
});

test("attempts that never resolve with true end with the error of the time-out; a rejected one ends at once", async () => {
  await expect(pollUntil(async () => false, { everyMs: 0, timeoutMs: 1, timeoutError })).rejects.toThrow("not in time");
  const fail = async () => {
    throw new Error("it ended");
  };
  await expect(pollUntil(fail, { everyMs: 0, timeoutMs: Infinity, timeoutError })).rejects.toThrow("it ended");
});
