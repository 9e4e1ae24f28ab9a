import { randomBytes } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDataFolder } from "./data-folder.ts";
import { StartupError } from "../run/startup-error.ts";

/**
 * Reads a secret of 256 bits, in hexadecimal digits, from the data folder. The first call creates it with mode 0600.
 */
export async function storedSecret(directory: string, name: string): Promise<string> {
  const file = join(directory, name);
  try {
    const stored = await readFile(file, "utf8").catch(absent);
    return stored ?? (await createSecret(directory, file));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`DATA_DIR can't be written: ${(error as Error).message}`);
  }
}

/**
 * Creates the file as a link to a complete draft: of two processes that start concurrently, one creates the file, and both
 * read it. The file is complete from the beginning.
 */
async function createSecret(directory: string, file: string): Promise<string> {
  await makeDataFolder(directory);
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, randomBytes(32).toString("hex"), { mode: 0o600, flush: true });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await unlink(draft);
  return readFile(file, "utf8");
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
