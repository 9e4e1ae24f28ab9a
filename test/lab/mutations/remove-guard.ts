import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Lang, type NapiConfig, parse, type SgNode } from "@ast-grep/napi";
import { PROJECT } from "../../harness/guildcal-process.ts";
import type { InCode, InText, Place } from "./guard.ts";

/** A part of a file, by its offsets in UTF-16 units, and the text that replaces it. */
export interface Edit {
  readonly file: string;
  readonly from: number;
  readonly until: number;
  readonly text: string;
}

/** The edit that removes a guard; throws unless there is exactly one such place in the file. */
export function editFor(place: Place, source = readFileSync(join(PROJECT, place.file), "utf8")): Edit {
  return "words" in place ? editOfText(place, source) : editOfCode(place, parse(Lang.TypeScript, source).root());
}

/** The `NODE_OPTIONS` of a process that runs without these guards; empty for none. */
export function optionsWithout(places: readonly Place[]): string {
  if (places.length === 0) return "";
  const loader = pathToFileURL(join(import.meta.dirname, "load-without-guards.ts")).href;
  const edits = JSON.stringify(places.map((place) => editFor(place)));
  return `--import=${loader}?${encodeURIComponent(edits).replaceAll("'", "%27")}`;
}

function editOfText({ file, words, without }: InText, source: string): Edit {
  const from = source.indexOf(words);
  if (from === -1 || source.includes(words, from + 1)) throw new Error(`${file}: not once: ${words}`);
  return { file, from, until: from + words.length, text: without };
}

function editOfCode(place: InCode, root: SgNode): Edit {
  const around = place.in === undefined ? root : only(`${place.file}: ${place.in}`, root.findAll(named(place.in)));
  const pattern = "property" in place ? place.property : place.code;
  const found = only(`${place.file}: ${pattern}`, around.findAll(matcherOf(place)));
  const { start, end } = place.without === "" ? rangeWithComma(found) : found.range();
  const text =
    place.without === "" && String(found.kind()).endsWith("_statement") ? ";" : filledIn(place.without, found);
  return { file: place.file, from: start.index, until: end.index, text };
}

function only(what: string, nodes: readonly SgNode[]): SgNode {
  const [node] = nodes;
  if (node === undefined || nodes.length > 1) throw new Error(`${what}: ${nodes.length} places instead of one`);
  return node;
}

/** The kinds of nodes that have a name and a body. */
const NAMED = [
  "function_declaration",
  "generator_function_declaration",
  "function_expression",
  "method_definition",
  "class_declaration",
  "variable_declarator",
];

function named(name: string): NapiConfig {
  const byField = (kind: string, field: string) => ({ kind, has: { field, regex: `^${RegExp.escape(name)}$` } });
  return { rule: { any: [...NAMED.map((kind) => byField(kind, "name")), byField("pair", "key")] } };
}

/** Without a context, `{ … }` would parse as a block, and `name: value` as a label. */
function matcherOf(place: InCode): string | NapiConfig {
  if ("property" in place) {
    const context = `({ ${place.property} })`;
    return { rule: { pattern: { context, selector: kindOfProperty(context) } } };
  }
  if (!place.code.startsWith("{")) return place.code;
  return { rule: { pattern: { context: `(${place.code})`, selector: "object" } } };
}

function kindOfProperty(object: string): string {
  const found = parse(Lang.TypeScript, object)
    .root()
    .find({ rule: { kind: "object" } });
  const property = found?.child(1) ?? null;
  if (property === null) throw new Error(`no property: ${object}`);
  return String(property.kind());
}

/** The range of a node with the comma after it, or before it. */
function rangeWithComma(node: SgNode) {
  const { start, end } = node.range();
  const [before, after] = [node.prev(), node.next()];
  if (after?.kind() === ",") return { start, end: after.range().end };
  return before?.kind() === "," ? { start: before.range().start, end } : { start, end };
}

function filledIn(without: string, found: SgNode): string {
  return without.replaceAll(/\$\$\$([A-Z_]+)|\$([A-Z_]+)/g, (_, many?: string, one = "") => {
    if (many === undefined) return textOf([found.getMatch(one)], found, `$${one}`);
    return textOf(found.getMultipleMatches(many), found, `$$$${many}`);
  });
}

function textOf(nodes: readonly (SgNode | null)[], within: SgNode, name: string): string {
  const [first = null, last = null] = [nodes[0], nodes.at(-1)];
  if (first === null || last === null) throw new Error(`${name} stands for nothing in: ${within.text()}`);
  const source = within.getRoot().root().text();
  return source.slice(first.range().start.index, last.range().end.index);
}
