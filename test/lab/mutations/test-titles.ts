import { Lang, parse, type SgNode } from "@ast-grep/napi";

/** Stands for a part of a title that is computed, such as `%s` or `${name}`. */
const COMPUTED = "\0";
const PLACEHOLDER = /%[a-z#]|\$\{[^}]*\}|\$[a-z][\w.]*/gi;

/** The full titles of the tests in a source, which begin with the titles of the `describe` blocks around them. */
export function testTitles(source: string): string[] {
  const calls = parse(Lang.TypeScript, source)
    .root()
    .findAll({ rule: { kind: "call_expression" } });
  return calls
    .filter((call) => isCallOf("test", call))
    .map((test) => {
      const blocks = test.ancestors().filter((node) => isCallOf("describe", node));
      return [...blocks.toReversed(), test].map(titleOf).join(" ");
    });
}

/** `test(title, …)` or `test.each(table)(title, …)`. */
function isCallOf(name: "test" | "describe", node: SgNode): boolean {
  if (node.kind() !== "call_expression") return false;
  const callee = node.field("function");
  return callee?.text() === name || callee?.field("function")?.text() === `${name}.each`;
}

function titleOf(call: SgNode): string {
  const title = call.field("arguments")?.child(1);
  if (title === null || title === undefined || !/^(?:string|template_string)$/.test(String(title.kind())))
    return COMPUTED;
  return title.text().slice(1, -1).replaceAll(/\\(.)/g, "$1").replaceAll(PLACEHOLDER, COMPUTED);
}

/**
 * Whether the title contains the text for some values of its computed parts. The parts of the text that are computed must be
 * in the source, such as in a table of `test.each`.
 */
export function titleContains(title: string, text: string, source: string): boolean {
  const failed = new Set<string>();

  function continues(at: number, rest: string): boolean {
    if (rest === "") return true;
    const state = `${at} ${rest.length}`;
    if (failed.has(state)) return false;
    const isFound =
      title[at] === COMPUTED
        ? beginnings(rest).some((value) => source.includes(value) && continues(at + 1, rest.slice(value.length)))
        : title[at] === rest[0] && continues(at + 1, rest.slice(1));
    if (!isFound) failed.add(state);
    return isFound;
  }

  return Array.from({ length: title.length }, (_, at) => at).some((at) => continues(at, text));
}

/** The beginnings of a text, from the empty one to the whole text. */
function beginnings(text: string): string[] {
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length));
}
