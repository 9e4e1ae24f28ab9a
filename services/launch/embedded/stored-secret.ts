import { randomBytes } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDataFolder } from "./data-folder.ts";
import { StartupError } from "../run/startup-error.ts";

/** Reads a secret of 256 bits, in hexadecimal digits, from the data folder; creates it at the first call, with mode 0600. */
export async function storedSecret(directory: string, name: string): Promise<string> {
  const file = join(directory, name);
  try {
    const kept = await readFile(file, "utf8").catch(absent);
    return kept ?? (await makeSecret(directory, file));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`DATA_DIR can't be written: ${(error as Error).message}`);
  }
}

/** Links a finished draft to the name: of two processes that start at the same moment, one creates the file, and it is whole. */
async function makeSecret(directory: string, file: string): Promise<string> {
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
