import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PROJECT } from "../harness/guildcal-process.ts";
import { anchorsOf, type Link, linksOf, markdownFiles, read } from "./markdown.ts";

function isDangling({ to, anchor }: Link): boolean {
  // Such a path is outside of the project, also if the file exists on this machine.
  if (to.startsWith("..")) return true;
  if (!existsSync(join(PROJECT, to))) return true;
  return anchor !== undefined && !(to.endsWith(".md") && anchorsOf(read(to)).has(anchor));
}

describe("the anchors of a document", () => {
  test("are those that GitHub generates from its headings", () => {
    const text =
      "# Où? `x_y` & z!\n## 4.1 Get (v1)\n## 4.1 Get (v1)\n```sh\n# a comment\n```\n### [a link](b.md) too\n";
    expect([...anchorsOf(text)]).toEqual(["où-x_y--z", "41-get-v1", "41-get-v1-1", "a-link-too"]);
  });
});

describe("a link in a document", () => {
  test.each([
    ["to a file that does not exist", "[x](none.md)"],
    ["to a file outside of the project", "[x](../../package.json)"],
    ["to a heading that does not exist", "[x](../README.md#no-such-heading)"],
    ["to a heading of its own document that does not exist", "[x](#no-such-heading)"],
  ])("%s is found", (_what, text) => {
    expect(linksOf("docs/api.md", text).filter(isDangling)).toHaveLength(1);
  });

  test("to another site, or in a code block, is ignored", () => {
    expect(linksOf("README.md", "[x](https://example.com/none.md)\n```\n[x](none.md)\n```\n")).toEqual([]);
  });

  test("has a target, in every document", () => {
    const links = markdownFiles().flatMap((path) => linksOf(path, read(path)));
    expect(links.length).toBeGreaterThan(60);
    expect(links.filter(({ anchor }) => anchor !== undefined).length).toBeGreaterThan(20);
    expect(links.filter(isDangling)).toEqual([]);
  });
});
