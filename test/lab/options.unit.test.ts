import { describe, expect, test } from "@jest/globals";
import { readCommandLine, readOptions, selectOnly } from "./options.ts";

const DECLARED = { only: [], rounds: 5, mode: "all", results: false, seed: Number, json: String } as const;

describe("the options of a command of the lab", () => {
  test("have the declared defaults, and are undefined without one", () => {
    expect(readOptions(DECLARED, [])).toEqual({
      only: [],
      rounds: 5,
      mode: "all",
      results: false,
      seed: undefined,
      json: undefined,
    });
  });

  test("are read as numbers, texts, flags and lists", () => {
    const args = "--only month --only day --rounds 9 --mode nats --results --seed 0 --json out.json".split(" ");
    expect(readOptions(DECLARED, args)).toEqual({
      only: ["month", "day"],
      rounds: 9,
      mode: "nats",
      results: true,
      seed: 0,
      json: "out.json",
    });
  });

  test.each(["five", "", "1e3", "-1", "0.5"])("refuse %j as a number, and name the option", (text) => {
    expect(() => readOptions(DECLARED, [`--seed=${text}`])).toThrow(`--seed takes a whole number, not "${text}"`);
  });

  test("refuse an unknown option, and a word without an option", () => {
    expect(() => readOptions(DECLARED, ["--row", "month"])).toThrow("--row");
    expect(() => readOptions(DECLARED, ["month"])).toThrow("month");
  });

  test("return further words for a command that accepts them", () => {
    const { options, positionals } = readCommandLine(DECLARED, {
      args: ["a", "--rounds", "7", "b"],
      allowPositionals: true,
    });
    expect([options.rounds, positionals]).toEqual([7, ["a", "b"]]);
  });
});

describe("--only", () => {
  const names = ["month", "day", "ongoing"];
  const selected = (...only: string[]) => selectOnly(names, only, (name) => name);

  test("selects each item whose text contains one of the words", () => {
    expect(selected("day", "on")).toEqual(names);
    expect(selected("ongoing", "day")).toEqual(["day", "ongoing"]);
  });

  test("selects everything without words", () => {
    expect(selected()).toEqual(names);
  });

  test("refuses words that no text contains", () => {
    expect(() => selected("week")).toThrow("--only: no name contains week");
  });
});
