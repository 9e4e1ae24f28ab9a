import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../services/contracts");
const FILES = readdirSync(FOLDER).filter((name) => /^[a-z-]+(?:\.contract)?\.ts$/.test(name));
const SOURCE = FILES.map((name) => readFileSync(join(FOLDER, name), "utf8")).join("\n");

/** A declaration with its comment: an interface, a type, or a list of values from which a type is derived. */
const DECLARATION =
  /(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^(?:export )?(?:interface (\w+)[^{]*\{[\s\S]*?^\}|type (\w+)(?:<[^=]*>)? =(?:[^;{]|\{[^}]*\})*;$|const ([A-Z_]+) = [[{][^;]*;)/gm;

const DECLARATIONS: ReadonlyMap<string, string> = new Map(
  [...SOURCE.matchAll(DECLARATION)].map(([text, anInterface, type, values]) => [
    (anInterface ?? type ?? values)!,
    text,
  ]),
);

/** The types of an action's params and result, as the text of the contract has them. */
export interface SpelledTypes {
  readonly params: string;
  readonly result: string;
}

/** The types of the action with that name. */
export function typesOf(action: string): SpelledTypes {
  const at = SOURCE.indexOf(`({\n  name: "${action}"`);
  const from = SOURCE.lastIndexOf("= action<", at) + "= action<".length;
  const [params, result] = argumentsIn(SOURCE.slice(from, at - 1));
  if (at < 0 || params === undefined || result === undefined) throw new Error(`no types of ${action} were found`);
  return { params, result };
}

/** Splits a list of type arguments at its commas; commas within a type argument do not count. */
function argumentsIn(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if ("<{([".includes(character)) depth += 1;
    if (">})]".includes(character)) depth -= 1;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim().replaceAll(/\s+/g, " ")).filter((part) => part !== "");
}

/** The type of the payload of the event with that name, as in its contract. */
export function payloadTypeOf(event: string): string {
  const [, type] = new RegExp(String.raw`broadcastEvent<(\w+)>\(\{\s*name: "${event}"`).exec(SOURCE) ?? [];
  if (type === undefined) throw new Error(`no type of the payload of ${event} was found`);
  return type;
}

/**
 * The declarations to which these types refer, directly or through others, by name and in the order of the sources.
 */
export function declarationsFor(types: readonly string[]): ReadonlyMap<string, string> {
  const named = new Set<string>();
  const waiting = [...types];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const code = text.replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*/g, "");
    for (const [word] of code.matchAll(/\b[A-Z]\w+\b/g)) {
      const declaration = DECLARATIONS.get(word);
      if (declaration === undefined || named.has(word)) continue;
      named.add(word);
      waiting.push(declaration);
    }
  }
  return new Map([...DECLARATIONS].filter(([name]) => named.has(name)));
}
