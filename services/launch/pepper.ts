import { randomBytes } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDataFolder } from "./data-folder.ts";
import { StartupError } from "./startup-error.ts";

interface PepperSettings {
  readonly API_KEY_PEPPER: string | undefined;
  readonly DATA_DIR: string;
}

/**
 * The settings with a pepper: the one that is set, or the one of the data folder, made there at the first start. It
 * lies beside the database's files and not in the database, so a dump or a stolen password of that tells no digest's
 * key.
 */
export async function withPepper<Settings extends PepperSettings>(settings: Settings): Promise<Settings> {
  const pepper = settings.API_KEY_PEPPER ?? (await keptPepper(settings.DATA_DIR));
  return { ...settings, API_KEY_PEPPER: pepper };
}

async function keptPepper(directory: string): Promise<string> {
  const file = join(directory, "api-key-pepper");
  try {
    const kept = await readFile(file, "utf8").catch(absent);
    return kept ?? (await makePepper(directory, file));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`DATA_DIR can't be written: ${(error as Error).message}`);
  }
}

/** Of two starts at the same moment one makes it: the file appears whole, under its name, or not at all. */
async function makePepper(directory: string, file: string): Promise<string> {
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
