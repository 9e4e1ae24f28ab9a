import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PROJECT } from "../harness/guildcal-process.ts";
import { linksOf, markdownFiles, read } from "./markdown.ts";

const decisions = read("docs/decisions.md");
const entries = [...decisions.matchAll(/^- \*\*(D\d+) ([^*]+)\*\*([\s\S]*?)(?=\n- \*\*D|\n\n|$(?![\s\S]))/gm)];
const decided = new Set(entries.map(([, number]) => number!));
const sections = new Set(
  [...read("docs/api.md").matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number!),
);

interface Citation {
  readonly file: string;
  /** `D17`, `api.md 4.1`, or `api.md`. */
  readonly cites: string;
}

/** The decisions and sections of the API reference that a text cites. */
function citationsIn(file: string, text: string): Citation[] {
  const numbers = [...text.matchAll(/(?<![\w`-])(D[1-9]\d*)\b(?!-)/g)].map(([, number]) => number!);
  const references = [...text.matchAll(/(?<![\w/])api\.md(?: (\d+(?:\.\d+)*))?/g)].map(([cited]) => cited);
  return [...numbers, ...references].map((cites) => ({ file, cites }));
}

function hasNoTarget({ cites }: Citation): boolean {
  const section = /^api\.md (.+)$/.exec(cites)?.[1];
  if (section !== undefined) return !sections.has(section);
  return cites !== "api.md" && !decided.has(cites);
}

/** Sources, manifests and documents, without generated API documents, which repeat their texts. */
function citingFiles(): string[] {
  const sources = globSync("{services,mixins,test,k8s,clients,examples}/**/*.{ts,js,html,yaml,yml,conf,env,sh}", {
    cwd: PROJECT,
    exclude: ["**/node_modules/**"],
  });
  return [...sources, ...markdownFiles(), "docker-compose.yml", "Dockerfile", "moleculer.config.ts"];
}

describe("docs/decisions.md", () => {
  test("numbers its decisions without a gap, and each has a title and a text", () => {
    expect([...decided]).toEqual(Array.from({ length: decided.size }, (_, at) => `D${at + 1}`));
    expect(entries.filter(([, , title = "", text = ""]) => title.length < 3 || text.trim().length < 40)).toEqual([]);
  });

  test("has for every decision the section of the API reference that it completes", () => {
    const silent = entries.filter(([, , , text = ""]) => {
      return !linksOf("docs/decisions.md", text).some(({ to, anchor }) => to === "docs/api.md" && anchor !== undefined);
    });
    expect(silent.map(([, number]) => number)).toEqual([]);
  });
});

describe("a citation", () => {
  // Built from parts, so that this file has no citation without a target.
  const [D, API] = ["D", "api.md"];

  test.each([
    `see ${D}99.`,
    `(${D}99)`,
    `${D}17 and ${D}99`,
    `${D}199`,
    `${D}1/${D}99`,
    `${API} 4.99`,
    `${D}17, ${API} 13`,
  ])("without a target is found in: %s", (text) => {
    expect(citationsIn("a.ts", text).filter(hasNoTarget)).toHaveLength(1);
  });

  test("of a decision or a section of the API reference has its target in the project", () => {
    const citations = citingFiles().flatMap((file) => citationsIn(file, read(file)));
    expect(citations.filter(({ cites }) => cites.startsWith("D")).length).toBeGreaterThan(400);
    expect(citations.filter(({ cites }) => cites.startsWith("api.md ")).length).toBeGreaterThan(8);
    expect(citations.filter(hasNoTarget)).toEqual([]);
  });
});

/** A section of a README that a text cites by its title. */
interface SectionCitation {
  readonly file: string;
  readonly title: string;
}

function sectionCitationsIn(file: string, text: string): SectionCitation[] {
  const cited = [...text.matchAll(/\bREADME(?:\.md)?,? \(?"([^"\n]+)"/g)];
  return cited.map(([, title]) => ({ file, title: title! }));
}

/** Whether the section is in no README of the file's folder or of a folder above it. */
function hasNoSection({ file, title }: SectionCitation): boolean {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const readme = join(folder, "README.md");
    if (existsSync(join(PROJECT, readme)) && read(readme).split("\n").includes(`## ${title}`)) return false;
    if (folder === ".") return true;
  }
}

describe("a section of a README that is cited by its title", () => {
  test("is missing if no README has it", () => {
    const text = ["(README", ' "No such section")'].join(",");
    expect(sectionCitationsIn("services/api/a.ts", text).filter(hasNoSection)).toHaveLength(1);
  });

  test("is in the README of the folder, or of one above it", () => {
    const citations = citingFiles().flatMap((file) => sectionCitationsIn(file, read(file)));
    expect(citations.length).toBeGreaterThan(1);
    expect(citations.filter(hasNoSection)).toEqual([]);
  });
});
