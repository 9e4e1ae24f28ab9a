import { describe, expect, test } from "@jest/globals";
import { brokerOptions } from "../../moleculer.config.ts";
import { isLogged, type LogLevel } from "./log-level.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

describe("the check whether a line is logged", () => {
  test.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["error", ["error"]],
    ["fatal", []],
    ["silent", []],
  ])("is right for the level %s", (logLevel, written) => {
    const options = brokerOptions({ nodeId: "test", natsUrl: undefined, logLevel });
    expect(LEVELS.filter((level) => isLogged({ options }, level))).toEqual(written);
  });

  test("is true if the level is unknown", () => {
    expect(LEVELS.every((level) => isLogged({ options: { logger: true } }, level))).toBe(true);
  });
});
