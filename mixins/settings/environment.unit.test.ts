import { afterAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  choiceSetting,
  integerSetting,
  optionalSetting,
  readEnvironment,
  SettingsError,
  textSetting,
} from "./environment.ts";

const TABLE = {
  PORT: integerSetting("a port", 3000, 0, 65_535),
  LEVEL: choiceSetting("a level", "info", ["debug", "info"]),
  FOLDER: textSetting("a folder", ".data", "a path", /^[^\0]+$/),
  SECRET: optionalSetting("a secret", "ten visible characters", /^[\x21-\x7e]{10}$/),
};

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readEnvironment(env, TABLE);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe("settings from the environment", () => {
  test("have their defaults when unset or empty", () => {
    const defaults = { PORT: 3000, LEVEL: "info", FOLDER: ".data", SECRET: undefined };
    expect(readEnvironment({}, TABLE)).toEqual(defaults);
    expect(readEnvironment({ PORT: "", SECRET: "", SECRET_FILE: "" }, TABLE)).toEqual(defaults);
  });

  test("are read and immutable", () => {
    const settings = readEnvironment({ PORT: "80", LEVEL: "DEBUG", SECRET: "0123456789" }, TABLE);
    expect(settings).toMatchObject({ PORT: 80, LEVEL: "debug", SECRET: "0123456789" });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  test("are all refused at once, by name, without their values", () => {
    const problems = problemsOf({ PORT: "65536", LEVEL: "loud", SECRET: "too short" });
    expect(problems).toEqual([
      "PORT must be an integer from 0 to 65535",
      "LEVEL must be one of debug, info",
      "SECRET must be ten visible characters",
    ]);
  });
});

describe("a setting from a file", () => {
  const directory = mkdtempSync(join(tmpdir(), "guildcal-settings-"));
  afterAll(() => rmSync(directory, { recursive: true }));

  function file(name: string, text: string): string {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  }

  test("is the file's text without its last line break", () => {
    for (const text of ["0123456789", "0123456789\n", "0123456789\r\n"]) {
      expect(readEnvironment({ SECRET_FILE: file("secret", text) }, TABLE).SECRET).toBe("0123456789");
    }
  });

  test("is checked like any other, and an invalid value is not repeated", () => {
    expect(problemsOf({ SECRET_FILE: file("long", "0123456789\n\n") })).toEqual([
      "SECRET must be ten visible characters",
    ]);
    expect(problemsOf({ PORT_FILE: file("port", "none") })).toEqual(["PORT must be an integer from 0 to 65535"]);
  });

  test("has its default when the file is empty", () => {
    expect(readEnvironment({ PORT_FILE: file("empty", "\n") }, TABLE).PORT).toBe(3000);
  });

  test("is refused together with a direct value, and so is an unreadable file", () => {
    expect(problemsOf({ PORT: "80", PORT_FILE: file("both", "81"), SECRET_FILE: join(directory, "none") })).toEqual([
      "PORT and PORT_FILE are both set: unset one of them",
      "SECRET_FILE must name a file that can be read (ENOENT)",
    ]);
  });
});

describe("settings that depend on each other", () => {
  const table = { A: integerSetting("a number", 1, 0, 9), B: integerSetting("another", 2, 0, 9) };
  const ordered = ({ A, B }: { readonly A?: number; readonly B?: number }) =>
    A !== undefined && B !== undefined && A < B ? [] : ["A must be below B"];

  test("are reported with the problems of single settings, once for each setting", () => {
    expect(readEnvironment({ A: "1" }, table, ordered)).toEqual({ A: 1, B: 2 });
    expect(() => readEnvironment({ A: "3" }, table, ordered)).toThrow("A must be below B");
    expect(() => readEnvironment({ A: "x" }, table, ordered)).toThrow(/^A must be an integer from 0 to 9$/);
    expect(() => readEnvironment({ B: "x" }, table, ordered)).toThrow(/^B must be .*\nA must be below B$/);
  });
});
