import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { declarationsIn, javascriptIn } from "./generate/emit.ts";

const run = promisify(execFile);

/** The folders of the packages. */
export const CLIENTS = ["http", "contracts"] as const;

export type Client = (typeof CLIENTS)[number];

/** Writes the package as a tarball into a folder, and returns the path of the tarball. */
export async function packClient(client: Client, folder: string): Promise<string> {
  const staged = await mkdtemp(join(tmpdir(), "guildcal-client-"));
  try {
    await stage(client, staged);
    const { stdout } = await run("npm", ["pack", staged, "--pack-destination", folder, "--json"]);
    const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
    return join(folder, filename);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/** Writes the files of the package into a folder: JavaScript and declarations, generated from the sources. */
async function stage(client: Client, staged: string): Promise<void> {
  const sources = join(import.meta.dirname, client);
  const { private: _, ...manifest } = JSON.parse(await readFile(join(sources, "package.json"), "utf8")) as object & {
    readonly private: true;
  };
  await writeFile(join(staged, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await cp(join(sources, "README.md"), join(staged, "README.md"));
  await cp(join(import.meta.dirname, "../LICENSE"), join(staged, "LICENSE"));
  const modules = await readModules(join(sources, "src"));
  const files = { ...(await javascriptIn(modules)), ...(await declarationsIn(modules)) };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(staged, name), text)));
}

/** The sources of a package, by name without extension. */
async function readModules(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return Object.fromEntries(names.map((name, at) => [name.replace(/\.ts$/, ""), texts[at]!]));
}
