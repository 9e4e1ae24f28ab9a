import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Lang, parse, type SgNode } from "@ast-grep/napi";
import { PROJECT } from "../../harness/guildcal-process.ts";
import type { InCode, Place } from "./guard.ts";

/**
 * The names in a guard's pattern and replacement that are local to a function: neither global nor declared or imported by the
 * file. A rename of a variable must not invalidate a guard. A place by a text counts as local, unless it is in a string or in
 * a file without code.
 */
export function localNames(place: Place): string[] {
  const source = readFileSync(join(PROJECT, place.file), "utf8");
  if ("words" in place) return isInText(place.file, source, place.words) ? [] : [place.words];
  const known = namesOfModule(parse(Lang.TypeScript, source).root());
  const isKnown = (name: string) => known.has(name) || name in globalThis || name === "arguments";
  return codeOf(place).flatMap((code) => {
    const names = identifiersIn(parse(Lang.TypeScript, code).root());
    return names.filter((name) => !name.startsWith("$") && !isKnown(name));
  });
}

function isInText(file: string, source: string, words: string): boolean {
  if (!/\.[jt]s$/.test(file)) return true;
  const strings = parse(Lang.TypeScript, source)
    .root()
    .findAll({ rule: { any: [{ kind: "string" }, { kind: "template_string" }] } });
  return strings.some((string) => string.text().includes(words));
}

function codeOf(place: InCode): string[] {
  if ("property" in place) return [`({ ${place.property} })`, `({ ${place.without} })`];
  return [place.code, place.without].map((code) => (code.startsWith("{") ? `(${code})` : code));
}

const NAME = {
  rule: {
    any: ["identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"].map((kind) => ({
      kind,
    })),
  },
};

/** The identifiers of the code, except the parameters of functions in it. */
function identifiersIn(code: SgNode): string[] {
  const names = code.findAll(NAME);
  const own = new Set(code.findAll({ rule: { kind: "required_parameter" } }).map((node) => node.text()));
  return names.map((node) => node.text()).filter((name) => !own.has(name));
}

/** The names that a file imports or declares outside functions, and those of all its functions. */
function namesOfModule(root: SgNode): Set<string> {
  const outside = root.children().flatMap((node) => (node.kind() === "export_statement" ? node.children() : [node]));
  const names = outside.flatMap((node) => {
    if (node.kind() === "import_statement") return [node];
    return node.kind() === "lexical_declaration"
      ? node.children().map((each) => each.field("name"))
      : [node.field("name")];
  });
  const functions = root.findAll({ rule: { kind: "function_declaration" } }).map((each) => each.field("name"));
  return new Set(
    [...names, ...functions].flatMap((node) => (node === null ? [] : node.findAll(NAME))).map((node) => node.text()),
  );
}
