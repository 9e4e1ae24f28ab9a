import { describe, expect, test } from "@jest/globals";
import { SCHEMA_VERSION, schemaProblem } from "./schema-version.ts";

const at = (newest: number, oldest: number) => schemaProblem("announcements", { newest, oldest }, 5);

describe("a process of schema version 5", () => {
  test.each([
    ["data of its own version", 5, 5],
    ["data that an upgrade from the version before has begun", 5, 4],
    ["data of the version before, which nothing newer ran on", 4, 4],
    ["data that a process of the next version ran on, so that this one is a rollback", 6, 5],
    ["the same, where rows of the version before are left", 6, 4],
  ])("runs on %s", (_what, newest, oldest) => {
    expect(at(newest, oldest)).toBeUndefined();
  });

  test("does not run on data of a process two versions newer, and names the release that does", () => {
    expect(at(7, 6)).toBe(
      "The data of announcements has schema version 7, and this release knows 4 to 6: start a release of schema version 6 or newer",
    );
  });

  test("does not run on data with rows two versions older, even after a rollback from the next version", () => {
    const problem =
      "The data of announcements may have rows of schema version 3, and this release knows 4 to 6: start a release of schema version 4, and run `npm run schema -- finish` there";
    expect(at(3, 3)).toBe(problem);
    expect(at(6, 3)).toBe(problem);
  });
});

test("this release runs on the data of 0.1.0, which have no version and count as 1", () => {
  expect(SCHEMA_VERSION).toBe(2);
  expect(schemaProblem("api", { newest: 1, oldest: 1 })).toBeUndefined();
});
