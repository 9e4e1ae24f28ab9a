import { describe, expect, test } from "@jest/globals";
import { brokerOptions } from "../../moleculer.config.ts";
import { isLogged, type LogLevel } from "./log-level.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

describe("whether a line is written", () => {
  test.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["error", ["error"]],
    ["fatal", []],
    ["silent", []],
  ])("at the level %s", (logLevel, written) => {
    const options = brokerOptions({ nodeId: "test", natsUrl: undefined, logLevel });
    expect(LEVELS.filter((level) => isLogged({ options }, level))).toEqual(written);
  });

  test("is yes where nobody knows: a line too many is better than one that is missing", () => {
    expect(LEVELS.every((level) => isLogged({ options: { logger: true } }, level))).toBe(true);
  });
});
