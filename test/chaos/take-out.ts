import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Edit, type ProtectionName, PROTECTIONS } from "./protections.ts";

// Loaded before a service (`node --import take-out.ts?<protection>`): that protection is not there in its process.
const ROOT = dirname(dirname(import.meta.dirname));
const name = decodeURIComponent(new URL(import.meta.url).search.slice(1)) as ProtectionName;
const edits = Map.groupBy<string, Edit>(PROTECTIONS[name], ({ file }) => pathToFileURL(join(ROOT, file)).href);

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
