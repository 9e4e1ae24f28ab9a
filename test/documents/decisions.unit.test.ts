import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PROJECT } from "../real-parts/launched.ts";

const text = readFileSync(join(PROJECT, "docs/decisions.md"), "utf8");
const decided = new Set([...text.matchAll(/^- \*\*(D\d+) /gm)].map(([, number]) => number!));

/** Every citation in a source or document, with its file. */
function citations(): { readonly file: string; readonly number: string }[] {
  return ["*.md", "{services,mixins,test,k8s,docs}/**/*.{ts,md,js}"]
    .flatMap((pattern) => globSync(pattern, { cwd: PROJECT }))
    .flatMap((file) => {
      const source = readFileSync(join(PROJECT, file), "utf8");
      return [...source.matchAll(/\b(D[1-9]\d?)\b(?![-.\w])/g)].map(([, number]) => ({ file, number: number! }));
    });
}

describe("docs/decisions.md", () => {
  test("numbers its decisions without a gap", () => {
    expect([...decided]).toEqual(Array.from({ length: decided.size }, (_, at) => `D${at + 1}`));
  });

  test("has every decision that is cited anywhere in the project", () => {
    const cited = citations();
    expect(cited.length).toBeGreaterThan(200);
    expect(cited.filter(({ number }) => !decided.has(number))).toEqual([]);
  });
});
