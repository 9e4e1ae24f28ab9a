import { describe, expect, test } from "@jest/globals";
import { testTitles, titleContains } from "./test-titles.ts";

const SOURCE = `
describe("a queue", () => {
  test("returns \\"nothing\\" if it is empty", () => undefined);
  describe.each(["full"])("that is %s", () => {
    test.each([["an old item", 1], ["a new item", 2]])(
      "refuses %s, and keeps $count others", () => undefined);
    test(\`has \${MAX} items\`, () => undefined);
  });
  queue.test("is no test", () => undefined);
});
test.each(NAMES)(nameOf, () => undefined);
`;
const TITLES = testTitles(SOURCE);
const isInSource = (text: string) => TITLES.some((title) => titleContains(title, text, SOURCE));

describe("the titles of the tests in a source", () => {
  test("begin with the titles of the blocks around them", () => {
    expect(TITLES).toHaveLength(4);
    expect(TITLES[0]).toBe('a queue returns "nothing" if it is empty');
  });

  test.each([
    "is empty",
    "a queue returns",
    "that is full refuses an old item, and keeps",
    "refuses a new item",
    "full has MAX items",
  ])("contain: %s", (text) => {
    expect(isInSource(text)).toBe(true);
  });

  test.each(["is half empty", "returns nothing", "refuses a lost item", "a queue a queue", "is no test, and more"])(
    "do not contain: %s",
    (text) => {
      expect(isInSource(text)).toBe(false);
    },
  );
});
