import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROUTES } from "../../services/api/route-table.ts";
import { PLACEHOLDERS } from "../../services/contracts/message-template.ts";
import { ALL_SETTINGS } from "../../services/launch/run/service-factories.ts";
import { PROJECT } from "../harness/guildcal-process.ts";
import { apiBlocks } from "./api-reference.ts";
import { busBlocks } from "./bus-reference.ts";
import { type Blocks, table, withBlocks } from "./generated-blocks.ts";

/** The documents with generated blocks, and the generators of the blocks. */
export const GENERATED: Readonly<Record<string, () => Blocks>> = {
  "docs/api.md": apiBlocks,
  "docs/configuration.md": () => ({ settings: settingsTable() }),
  "docs/nats-reference.md": busBlocks,
  "docs/posting.md": () => ({ placeholders: placeholdersTable() }),
  "docs/endpoints.md": () => ({ endpoints: endpointsTable() }),
};

function settingsTable(): string {
  const rows = Object.entries(ALL_SETTINGS).map(([name, { about, defaultText, expects }]) => {
    const shown =
      name === "NODE_NAME" ? "host name and process id" : defaultText === undefined ? "" : `\`${defaultText}\``;
    return [`\`${name}\``, shown, about, expects];
  });
  return table(["variable", "default", "meaning", "must be"], rows);
}

function placeholdersTable(): string {
  const rows = Object.entries(PLACEHOLDERS).map(([name, about]) => [`\`{${name}}\``, about]);
  return table(["placeholder", "text"], rows);
}

function endpointsTable(): string {
  const rows = ROUTES.map(({ paths: [path, ...aliases], summary }) => {
    const section = `[\`${path}\`](api.md#${path.replaceAll("/", "")})`;
    return [section, summary, aliases.map((alias) => `\`${alias}\``).join(", ")];
  });
  return `${table(["path", "purpose", "alias"], rows)}\n\nEvery path also exists under \`/api\`.`;
}

/** The document on disk, and with newly generated blocks. */
export function regenerated(path: string): { readonly stored: string; readonly fresh: string } {
  const stored = readFileSync(join(PROJECT, path), "utf8");
  return { stored, fresh: withBlocks(stored, GENERATED[path]!()) };
}

/** `npm run docs` writes all generated blocks. */
if (process.argv[1] === import.meta.filename) {
  for (const path of Object.keys(GENERATED)) writeFileSync(join(PROJECT, path), regenerated(path).fresh);
}
