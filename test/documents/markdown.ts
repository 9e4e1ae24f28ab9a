import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { PROJECT } from "../harness/guildcal-process.ts";

/** Folders without documents of the project. */
const FOREIGN = /^(?:(?:test\/browser\/)?node_modules|\.data|\.git)(?:\/|$)/;

/** The paths of every Markdown document of the project. */
export function markdownFiles(): string[] {
  return globSync("**/*.md", { cwd: PROJECT, exclude: (path) => FOREIGN.test(path) });
}

export function read(path: string): string {
  return readFileSync(join(PROJECT, path), "utf8");
}

/** The document without its fenced code blocks, in which `#` and `[` have another meaning. */
function withoutCode(text: string): string {
  return text.replaceAll(/^( *)```[^\n]*\n[\s\S]*?^\1```$/gm, "");
}

/** The anchors of a document's headings, as GitHub generates them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** In lower case; letters, digits, `_` and `-` stay, spaces become hyphens, and other characters are removed. */
function slugOf(heading: string): string {
  const text = heading.trim().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** A link to a file of the project. */
export interface Link {
  readonly from: string;
  /** The target's path from the project's folder. */
  readonly to: string;
  /** Undefined for a link to the whole file. */
  readonly anchor: string | undefined;
}

/** The links of a document to files of the project. */
export function linksOf(from: string, text: string): Link[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor] = target.split("#");
      return { from, to: path === "" ? from : normalize(join(dirname(from), path)), anchor };
    });
}
