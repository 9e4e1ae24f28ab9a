import type { SourceFile } from "./source-file.ts";

/** Lists the production files that no entry point imports, directly or through other files. Tests do not count. */
export function unusedFiles(files: readonly SourceFile[], entryPoints: readonly string[]): string[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const used = new Set<string>();
  const open = [...entryPoints];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (used.has(path)) continue;
    used.add(path);
    open.push(...(importsOf.get(path) ?? []));
  }
  return files.map(({ path }) => path).filter((path) => isProduction(path) && !used.has(path));
}

function isProduction(path: string): boolean {
  return /^(?:services|mixins)\//.test(path) && !/\.test\.[jt]s$/.test(path);
}
