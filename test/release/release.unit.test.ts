import { describe, expect, test } from "@jest/globals";
import { readReleaseFiles } from "./check-release.ts";
import { RELEASE_FILES, releaseProblems } from "./release-problems.ts";

const files = readReleaseFiles();
const { version } = JSON.parse(files["package.json"]) as { readonly version: string };

type Change = (text: string) => string;
const otherVersion: Change = (text) => text.replaceAll(version, "9.9.9");

describe("the release check", () => {
  test("finds no problem in the project", () => {
    expect(releaseProblems(files)).toEqual([]);
  });

  test.each(RELEASE_FILES.filter((path) => path !== "package.json"))("finds another version in %s", (path) => {
    const problems = releaseProblems({ ...files, [path]: otherVersion(files[path]) });
    expect(problems).toEqual([expect.stringContaining(path)]);
    expect(problems[0]).toContain("9.9.9");
  });

  test("finds every place with another version than package.json, including the constant in the code", () => {
    const problems = releaseProblems({ ...files, "package.json": otherVersion(files["package.json"]) });
    const places = problems.map((problem) => problem.split(":", 1)[0]);
    const others = RELEASE_FILES.filter((path) => path !== "package.json");
    expect(new Set(places)).toEqual(new Set([...others, "services/contracts/version.ts"]));
  });

  test.each<[what: string, path: (typeof RELEASE_FILES)[number], change: Change, says: string]>([
    ["a version that is none", "package.json", (text) => text.replace(version, "one"), "semantic versioning"],
    ["an image without its version", "Dockerfile", (text) => text.replace(/ARG VERSION=.*/, ""), "is missing"],
    ["no section for what is unreleased", "CHANGELOG.md", (text) => text.replace("[Unreleased]", "Next"), "Next"],
    ["a release without a date", "CHANGELOG.md", (text) => text.replace(/\] - \S+/, "]"), "latest release"],
    ["a date that does not exist", "CHANGELOG.md", (text) => text.replace(/\] - \S+/, "] - 2026-02-31"), "no date"],
  ])("refuses %s", (_what, path, change, says) => {
    const changed = change(files[path]);
    expect(changed).not.toBe(files[path]);
    expect(releaseProblems({ ...files, [path]: changed })).toEqual([expect.stringContaining(says)]);
  });

  const empty = files["CHANGELOG.md"].replace(/^## \[Unreleased\]$[\s\S]*?^## /m, "## [Unreleased]\n\n## ");
  const pending = empty.replace("## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n- Something.\n");

  test.each([
    ["the version's own tag and nothing unreleased", `v${version}`, empty, []],
    ["another tag", "v9.9.9", empty, [`the tag is v9.9.9, not v${version}`]],
    ["a tag without its v", version, empty, [`the tag is ${version}, not v${version}`]],
    ["a tag with unreleased changes", `v${version}`, pending, ["CHANGELOG.md: there are unreleased changes"]],
    ["no tag while changes are unreleased", undefined, pending, []],
  ])("with %s", (_what, tag, changelog, problems) => {
    const deploying = files["docs/deploying.md"].replace(/^\| unreleased .*\n/m, "");
    const released = { ...files, "CHANGELOG.md": changelog, "docs/deploying.md": deploying };
    expect(releaseProblems(released, tag)).toEqual(problems);
  });

  test("with a tag refuses a schema version of no release, and without a tag allows it", () => {
    const row = (text: string) => text.replace(/^\| 0\.1\.0 .*\n/m, (line) => `${line}| unreleased | 2 | 1, 2 | |\n`);
    const deploying = row(files["docs/deploying.md"].replace(/^\| unreleased .*\n/m, ""));
    const unreleased = { ...files, "CHANGELOG.md": empty, "docs/deploying.md": deploying };
    expect(releaseProblems(unreleased, `v${version}`)).toEqual([expect.stringContaining("docs/deploying.md")]);
    expect(releaseProblems(unreleased)).toEqual([]);
  });
});
