import { stripTypeScriptTypes } from "node:module";
import { formatTypeScript } from "./format-source.ts";

/** TypeScript modules of one folder, by name without extension. */
export type Modules = Readonly<Record<string, string>>;

/** A comment whose declaration, a type, was removed. */
const COMMENT_OF_NOTHING = /^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n\n/gm;

/** The JavaScript files of the modules that contain more than types, by name. */
export async function javascriptIn(modules: Modules): Promise<Readonly<Record<string, string>>> {
  const files = Object.entries(modules).map(async ([name, text]) => {
    const code = await formatTypeScript(withJsEndings(stripTypeScriptTypes(text)));
    return [`${name}.js`, code.replaceAll(COMMENT_OF_NOTHING, "")] as const;
  });
  return Object.fromEntries((await Promise.all(files)).filter(([, code]) => /^(?:export|import)\b/m.test(code)));
}

/** The declaration files of `index` and of the modules that it imports, directly or through others, by name. */
export async function declarationsIn(modules: Modules): Promise<Readonly<Record<string, string>>> {
  const files = new Map<string, string>();
  const waiting = ["index"];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (files.has(name)) continue;
    const text = declarationsOf(modules[name]!);
    files.set(name, text);
    waiting.push(...[...text.matchAll(/ from "\.\/([\w-]+)\.js"/g)].map(([, target]) => target!));
  }
  const all = [...files].map(async ([name, text]) => [`${name}.d.ts`, await formatTypeScript(text)] as const);
  return Object.fromEntries(await Promise.all(all));
}

/**
 * The declarations of a module. Types are unchanged. A value must be `export const NAME: TYPE = …;`, or a list of strings
 * with `as const`. Throws for any other value, because its type would have to be inferred.
 */
export function declarationsOf(text: string): string {
  const declared = text
    .replaceAll(/^import (?!type\b)[^;]*;\n/gm, "")
    .replaceAll(/^export const (\w+) = (\[\s*"[^\]]*\]) as const;$/gm, "export declare const $1: readonly $2;")
    .replaceAll(/^export const (\w+): ((?:[^=]|=>)+) =(?!>)[^;]*;$/gm, "export declare const $1: $2;");
  const undeclared = /^(?:export )?(?:async |abstract )?(?:const|let|var|function|class|enum)\b.*$/m.exec(
    declared,
  )?.[0];
  if (undeclared !== undefined) throw new Error(`no declaration can be made of: ${undeclared}`);
  // Without this line TypeScript would export all types of a declaration file.
  return `${withJsEndings(declared)}\nexport {};\n`;
}

function withJsEndings(text: string): string {
  return text.replaceAll(/( from "\.\/[\w-]+)\.ts"/g, '$1.js"');
}
