import { registerHooks } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PROJECT } from "../../harness/guildcal-process.ts";
import { applyEdits } from "./apply-edits.ts";
import type { Edit } from "./remove-guard.ts";

// Loaded before a service (`node --import load-without-guards.ts?<edits as JSON>`): the process runs the edited sources.
const all = JSON.parse(decodeURIComponent(new URL(import.meta.url).search.slice(1))) as Edit[];
const edits = Map.groupBy(all, ({ file }) => pathToFileURL(join(PROJECT, file)).href);

registerHooks({
  load(url, context, nextLoad) {
    const own = edits.get(url);
    if (own === undefined) return nextLoad(url, context);
    return {
      format: "module-typescript",
      source: applyEdits(readFileSync(new URL(url), "utf8"), own),
      shortCircuit: true,
    };
  },
});
