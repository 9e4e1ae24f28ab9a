import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PROJECT } from "./launched.ts";
import type { SourceEdit } from "./source-edit.ts";

// Loaded before a service (`node --import take-out.ts?<edits as JSON>`): the process runs the edited sources.
const all = JSON.parse(decodeURIComponent(new URL(import.meta.url).search.slice(1))) as SourceEdit[];
const edits = Map.groupBy(all, ({ file }) => pathToFileURL(join(PROJECT, file)).href);

function edited(url: string, source: string): string {
  return (edits.get(url) ?? []).reduce((text, { file, text: sought, without }) => {
    if (!text.includes(sought)) throw new Error(`${file} has no ${sought}`);
    return text.replace(sought, () => without);
  }, source);
}

registerHooks({
  load(url, context, nextLoad) {
    if (!edits.has(url)) return nextLoad(url, context);
    const source = edited(url, readFileSync(new URL(url), "utf8"));
    return { format: "module-typescript", source, shortCircuit: true };
  },
});
