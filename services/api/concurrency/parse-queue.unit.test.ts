import { expect, test } from "@jest/globals";
import { ParseQueue } from "./parse-queue.ts";

const LARGEST = 65_536;

test("one large body is parsed per iteration of the event loop, and small bodies at once", async () => {
  const queue = new ParseQueue();
  let iteration = 0;
  const count = () => {
    iteration += 1;
    if (iteration < 5) setImmediate(count);
  };
  setImmediate(count);
  const parsedIn = (bytes: number) => queue.waitForTurn(bytes).then(() => iteration);
  const sizes = [LARGEST, LARGEST, 4_097, 4_096];
  await expect(Promise.all(sizes.map(parsedIn))).resolves.toEqual([0, 1, 2, 0]);
});
