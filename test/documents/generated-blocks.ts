/** Generated Markdown by the name of its block. */
export type Blocks = Readonly<Record<string, string>>;

/** `<!-- NAME: begin (a remark) -->`, the generated text, `<!-- NAME: end -->`. */
const BLOCK = /(<!-- ([\w./-]+): begin\b[^\n]*-->\n)[\s\S]*?(<!-- \2: end -->)/g;

/** Replaces the text of a document's blocks. Throws unless the document has exactly the given blocks. */
export function withBlocks(document: string, blocks: Blocks): string {
  const found = [...document.matchAll(BLOCK)].map(([, , name]) => name!);
  const expected = Object.keys(blocks);
  if (found.toSorted().join() !== expected.toSorted().join()) {
    throw new Error(`blocks in the document: ${found.join(", ")}; generated: ${expected.join(", ")}`);
  }
  return document.replaceAll(
    BLOCK,
    (_whole, begin: string, name: string, end: string) => `${begin}\n${blocks[name]!}\n\n${end}`,
  );
}

/** A Markdown table. A cell may hold any text of one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
