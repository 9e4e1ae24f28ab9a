import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** A source file of the project. */
export interface SourceFile {
  /** The path from the project's folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The imports: paths of project files, and names of packages and Node modules. */
  readonly imports: readonly string[];
}

const ROOT = dirname(dirname(import.meta.dirname));
const IMPORT =
  /(?:^|\n)\s*(?:\/\*\* @)?(?:import|export)\s[^"';]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/g;

/** Creates a source file from its text; relative imports become paths. */
export function sourceFile(path: string, text: string): SourceFile {
  const imports = [...text.matchAll(IMPORT)].map(([, named, bare]) => named ?? bare ?? "");
  return {
    path,
    text,
    imports: imports.map((target) => (target.startsWith(".") ? join(dirname(path), target) : target)),
  };
}

/** All TypeScript and JavaScript files below the folders. */
export function readSources(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.includes("/node_modules/"))
      .map((file) => sourceFile(relative(ROOT, file), readFileSync(file, "utf8"))),
  );
}
