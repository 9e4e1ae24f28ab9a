import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { parseArgs } from "node:util";
import { contractSources } from "./generate/contract-sources.ts";
import { httpSources } from "./generate/http-sources.ts";
import { CLIENTS, packClient } from "./pack-client.ts";

/** The generated files of this folder, by path. */
export async function generatedSources(): Promise<Readonly<Record<string, string>>> {
  const [http, contracts] = await Promise.all([httpSources(), contractSources()]);
  const inFolder = (folder: string, sources: Readonly<Record<string, string>>) =>
    Object.entries(sources).map(([name, text]) => [join(folder, "src", name), text] as const);
  return Object.fromEntries([...inFolder("http", http), ...inFolder("contracts", contracts)]);
}

/** `npm run clients`: writes the generated sources; `npm run clients -- --pack FOLDER` also writes the packages to FOLDER. */
if (argv[1] === import.meta.filename) {
  const { pack } = parseArgs({ options: { pack: { type: "string" } } }).values;
  for (const [path, text] of Object.entries(await generatedSources())) {
    writeFileSync(join(import.meta.dirname, path), text);
  }
  if (pack !== undefined) for (const client of CLIENTS) await packClient(client, pack);
}
