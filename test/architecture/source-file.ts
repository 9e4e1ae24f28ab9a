import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** One file of the project, as the rules see it. */
export interface SourceFile {
  /** From the project's folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** What it imports: a project file's path, or a package's or a node module's name. */
  readonly imports: readonly string[];
}

const ROOT = dirname(dirname(import.meta.dirname));
const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^"';]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/g;

/** Makes a source file from its text; relative imports become paths. */
export function sourceFile(path: string, text: string): SourceFile {
  const imports = [...text.matchAll(IMPORT)].map(([, named, bare]) => named ?? bare ?? "");
  return {
    path,
    text,
    imports: imports.map((target) => (target.startsWith(".") ? join(dirname(path), target) : target)),
  };
}

/** Every TypeScript and JavaScript file below the project's own folders. */
export function readSources(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => sourceFile(relative(ROOT, file), readFileSync(file, "utf8"))),
  );
}
